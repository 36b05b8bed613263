#pragma once
// The encoder of one channel group, for scoring: torch-free, gives the embeddings of the training network.

#include <cstdint>
#include <string>

#include "kernels/conv.h"
#include "kernels/mamba_stack.h"
#include "kernels/norm.h"
#include "model/model_file.h"

namespace cmr::model {

// Normalised samples are cut off here, so that a wild sensor value cannot overflow to infinity further on.
inline constexpr float kLargestSample = 1e15f;

class Encoder {
  public:
    Encoder(const Model& model, const std::string& group);

    int64_t width() const { return config_.width; }
    int64_t tokens(int64_t length) const { return config_.tokens(length); }

    // x: [windows, length] normalised samples → z: [windows, tokens(length), width]. The bits of a window do not depend
    // on the others or on the number of threads.
    void embed(int64_t windows, int64_t length, const float* x, float* z) const;

  private:
    Config config_;
    std::vector<float> stem_bias_, stem_weight_, stem_shift_, norm_weight_, norm_bias_;
    kernels::BatchMoments stem_moments_;
    kernels::ConvWeights stem_;
    kernels::MambaStack stack_;
};

}  // namespace cmr::model
