#pragma once
// The decoder of one effect channel, torch-free. Of the effect's own tokens: what the network thinks the samples were,
// by which a study asks how well reconstruction alone would tell faults. Of foretold ones: the samples that the causes
// make one expect, which the mechanism's gates weigh.

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/conv.h"
#include "kernels/norm.h"
#include "model/model_file.h"

namespace cmr::model {

class Decoder {
  public:
    // `name`: GROUP.CHANNEL of an effect, as in the model file.
    Decoder(const Model& model, const std::string& name);

    // z: [windows, tokens, width] → x: [windows, length] normalised samples; length ≤ 4 · tokens.
    void decode(int64_t windows, int64_t tokens, const float* z, int64_t length, float* x) const;

  private:
    struct Layer {
        kernels::ConvShape shape;
        bool up;  // transposed
        kernels::ConvWeights weights;
        std::vector<float> bias;
        std::vector<float> scale, shift;  // of the norm with GELU behind it; empty: none
        kernels::BatchMoments moments;
    };
    std::vector<Layer> layers_;
};

}  // namespace cmr::model
