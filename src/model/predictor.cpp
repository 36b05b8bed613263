#include "model/predictor.h"

#include "base/error.h"
#include "kernels/norm.h"

namespace cmr::model {
namespace {

kernels::ConvShape fusion(const Config& c) {
    return {.in = c.cause_channels() * c.width, .out = c.hidden(), .precision = c.scoring_precision()};
}
kernels::ConvShape output(const Config& c) {
    return {.in = c.hidden(), .out = c.effect_channels() * c.width, .precision = c.scoring_precision()};
}

}  // namespace

Predictor::Predictor(const Model& model)
    : fusion_{fusion(model.config),
              {fusion(model.config), model.at("predictor.fusion.weight"), kernels::ConvWeights::For::forward},
              {},
              model.values("predictor.norm.weight"),
              model.values("predictor.norm.bias")},
      output_{output(model.config),
              {output(model.config), model.at("predictor.output.weight"), kernels::ConvWeights::For::forward},
              model.values("predictor.output.bias"),
              {},
              {}} {
    const int64_t hidden = model.config.hidden(), kernel = model.config.predictor_kernel;
    const kernels::ConvShape causal{.in = hidden,
                                    .out = hidden,
                                    .kernel = kernel,
                                    .pad_left = kernel - 1,
                                    .precision = model.config.scoring_precision()};
    for (int64_t i = 0; i < model.config.predictor_blocks; ++i) {
        const std::string name = fmt::format("predictor.blocks.{}.", i);
        blocks_.push_back({causal,
                           {causal, model.at(name + "conv.weight"), kernels::ConvWeights::For::forward},
                           model.values(name + "conv.bias"),
                           model.values(name + "norm.weight"),
                           model.values(name + "norm.bias")});
    }
}

void Predictor::run(const Layer& layer, int64_t windows, int64_t tokens, const float* x, float* y) const {
    kernels::conv_forward(layer.shape, layer.weights, windows, tokens, x,
                          layer.bias.empty() ? nullptr : layer.bias.data(), y);
    if (!layer.norm_weight.empty())
        kernels::layer_norm_forward(windows * tokens, layer.shape.out, y, layer.norm_weight.data(),
                                    layer.norm_bias.data(), true, y);
}

void Predictor::predict(int64_t windows, int64_t tokens, const float* causes, float* effects) const {
    const int64_t floats = windows * tokens * fusion_.shape.out;
    std::vector<float> h(floats), step(floats);
    run(fusion_, windows, tokens, causes, h.data());
    for (const Layer& block : blocks_) {
        run(block, windows, tokens, h.data(), step.data());
        for (int64_t i = 0; i < floats; ++i) h[i] += step[i];
    }
    run(output_, windows, tokens, h.data(), effects);
}

}  // namespace cmr::model
