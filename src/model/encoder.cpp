#include "model/encoder.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::model {
namespace {

std::vector<kernels::MambaWeights> layer_weights(const Model& model, const std::string& encoder) {
    std::vector<kernels::MambaWeights> layers;
    for (int64_t i = 0; i < model.config.layers; ++i) {
        const auto at = [&](const char* name) { return model.at(fmt::format("{}.layers.{}.{}", encoder, i, name)); };
        layers.push_back({at("norm.weight"), at("norm.bias"), at("in_proj.weight"), at("conv.weight"), at("conv.bias"),
                          at("x_proj.weight"), at("dt_proj.weight"), at("dt_proj.bias"), at("a_log"), at("skip"),
                          at("out_proj.weight")});
    }
    return layers;
}

}  // namespace

Encoder::Encoder(const Model& model, const std::string& group)
    : config_(model.config),
      stem_(config_.stem(), model.at("encoders." + group + ".stem.conv.weight"), kernels::ConvWeights::For::forward),
      stack_(config_.block(config_.scoring_precision()), layer_weights(model, "encoders." + group)) {
    const auto copy = [&](const char* name) { return model.values("encoders." + group + "." + name); };
    stem_bias_ = copy("stem.conv.bias");
    stem_weight_ = copy("stem.norm.weight");
    stem_shift_ = copy("stem.norm.bias");
    stem_moments_ = {copy("stem.norm.running_mean"), copy("stem.norm.running_variance")};
    norm_weight_ = copy("norm.weight");
    norm_bias_ = copy("norm.bias");
}

void Encoder::embed(int64_t windows, int64_t length, const float* x, float* z) const {
    CMR_ASSERT(windows >= 0 && length >= 1, "a window has at least one sample");
    const int64_t rows = windows * tokens(length);
    std::vector<float> samples(x, x + windows * length);
    for (float& sample : samples) sample = std::clamp(sample, -kLargestSample, kLargestSample);
    kernels::conv_forward(config_.stem(), stem_, windows, length, samples.data(), stem_bias_.data(), z);
    kernels::batch_norm_gelu_forward(rows, width(), z, stem_moments_, stem_weight_.data(), stem_shift_.data(), z);
    stack_.forward(windows, tokens(length), z);
    kernels::layer_norm_forward(rows, width(), z, norm_weight_.data(), norm_bias_.data(), false, z);
}

}  // namespace cmr::model
