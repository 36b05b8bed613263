#pragma once
// The causal predictor from cause to effect embeddings, for scoring: torch-free, without dropout.

#include <cstdint>
#include <vector>

#include "kernels/conv.h"
#include "model/model_file.h"

namespace cmr::model {

class Predictor {
  public:
    explicit Predictor(const Model& model);

    // causes: [windows, tokens, cause channels * width] → effects: [windows, tokens, effect channels * width]. The row
    // of token t depends on rows ≤ t only.
    void predict(int64_t windows, int64_t tokens, const float* causes, float* effects) const;

  private:
    struct Layer {
        kernels::ConvShape shape;
        kernels::ConvWeights weights;
        std::vector<float> bias;         // empty: none
        std::vector<float> norm_weight;  // empty: no norm and GELU behind it
        std::vector<float> norm_bias;
    };
    void run(const Layer& layer, int64_t windows, int64_t tokens, const float* x, float* y) const;

    Layer fusion_;
    std::vector<Layer> blocks_;
    Layer output_;
};

}  // namespace cmr::model
