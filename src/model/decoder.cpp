#include "model/decoder.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::model {

Decoder::Decoder(const Model& model, const std::string& name) {
    const std::string decoder = "decoders." + name;
    const int64_t w = model.config.width;
    const kernels::Precision precision = model.config.scoring_precision();
    const auto add = [&](const char* layer, const char* norm, kernels::ConvShape shape, bool up) {
        using Weights = kernels::ConvWeights;
        Layer& added = layers_.emplace_back(Layer{shape,
                                                  up,
                                                  Weights(shape, model.at(decoder + layer + ".weight"),
                                                          up ? Weights::For::backward_data : Weights::For::forward),
                                                  model.values(decoder + layer + ".bias"),
                                                  {},
                                                  {},
                                                  {}});
        if (!norm) return;
        const std::string own = decoder + norm;
        added.scale = model.values(own + ".weight");
        added.shift = model.values(own + ".bias");
        added.moments = {model.values(own + ".running_mean"), model.values(own + ".running_variance")};
    };
    const auto doubling = [&](int64_t in) {
        return kernels::ConvShape{
            .in = in / 2, .out = in, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1, .precision = precision};
    };
    add(".mix", ".mix_norm", {.in = w, .out = w, .kernel = 3, .pad_left = 1, .pad_right = 1, .precision = precision},
        false);
    add(".up1", ".up1_norm", doubling(w), true);
    add(".up2", ".up2_norm", doubling(w / 2), true);
    add(".output", nullptr, {.in = w / 4, .out = 1, .kernel = 7, .pad_left = 3, .pad_right = 3}, false);
}

void Decoder::decode(int64_t windows, int64_t tokens, const float* z, int64_t length, float* x) const {
    CMR_ASSERT(length <= 4 * tokens, "a token stands for four samples");
    std::vector<float> h(z, z + windows * tokens * layers_.front().shape.in);
    int64_t rows = tokens;
    for (const Layer& layer : layers_) {
        const int64_t next_rows = layer.up ? 2 * rows : rows, features = layer.up ? layer.shape.in : layer.shape.out;
        std::vector<float> y(windows * next_rows * features);
        if (layer.up)
            kernels::conv_backward_data(layer.shape, layer.weights, windows, next_rows, h.data(), layer.bias.data(),
                                        y.data());
        else
            kernels::conv_forward(layer.shape, layer.weights, windows, rows, h.data(), layer.bias.data(), y.data());
        if (!layer.scale.empty())
            kernels::batch_norm_gelu_forward(windows * next_rows, features, y.data(), layer.moments, layer.scale.data(),
                                             layer.shift.data(), y.data());
        h = std::move(y);
        rows = next_rows;
    }
    for (int64_t i = 0; i < windows; ++i) std::copy_n(h.data() + i * rows, length, x + i * length);
}

}  // namespace cmr::model
