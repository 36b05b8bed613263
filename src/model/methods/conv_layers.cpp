#include "model/methods/conv_layers.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "model/encoder.h"

namespace cmr::model {
namespace {

constexpr int64_t kFirst = 64, kSecond = 128;  // features between the layers

}  // namespace

kernels::ConvShape ConvLayer::shape(int64_t length) const {
    if (up) return {.in = out, .out = in, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1};
    return {.in = in, .out = out, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1 + length % 2};
}

int64_t bottleneck(const Config& config) { return std::clamp<int64_t>(2 * config.channels(), 8, 64); }

std::vector<ConvLayer> encoder_layers(const Config& config, const std::string& name, int64_t out, bool learned) {
    return {{name + ".conv1", config.channels(), kFirst, false, true, learned},
            {name + ".conv2", kFirst, kSecond, false, true, learned},
            {name + ".conv3", kSecond, out, false, false, learned}};
}

std::vector<ConvLayer> decoder_layers(const Config& config, const std::string& name, int64_t in) {
    return {{name + ".up1", in, kSecond, true},
            {name + ".up2", kSecond, kFirst, true},
            {name + ".up3", kFirst, config.channels(), true, false}};
}

void add_parameters(Specs& specs, const std::vector<ConvLayer>& layers) {
    for (const ConvLayer& layer : layers) {
        const kernels::ConvShape s = layer.shape(2);
        specs.add_layer(layer.name, {s.out, s.in, s.kernel}, s.in * s.kernel, layer.learned ? layer.out : 0);
        if (!layer.normed) continue;
        if (layer.learned)
            specs.add_batch_norm(layer.name + ".norm", layer.out);
        else
            specs.add_moments(layer.name + ".norm", layer.out);
    }
}

int64_t kept_floats(const std::vector<ConvLayer>& layers, int64_t length) {
    int64_t out = 0;
    for (const ConvLayer& layer : layers) {
        out += length * layer.in;
        length = layer.out_length(length);
        out += length * layer.out * (layer.normed ? 3 : 2);  // before and behind the norm, and a gradient
    }
    return out;
}

Tokens token_rows(int64_t windows, int64_t channels, int64_t length, const float* x) {
    Tokens out{length, channels, std::vector<float>(windows * channels * length)};
    for (int64_t w = 0; w < windows; ++w)
        for (int64_t c = 0; c < channels; ++c)
            for (int64_t t = 0; t < length; ++t)
                out.values[(w * length + t) * channels + c] =
                    std::clamp(x[(w * channels + c) * length + t], -kLargestSample, kLargestSample);
    return out;
}

ConvStack::ConvStack(const Model& model, std::vector<ConvLayer> layers) {
    for (ConvLayer& layer : layers) {
        using Weights = kernels::ConvWeights;
        const Weights::For use = layer.up ? Weights::For::backward_data : Weights::For::forward;
        Loaded loaded{layer, Weights(layer.shape(2), model.at(layer.name + ".weight"), use), {}, {}, {}, {}};
        const int64_t n = layer.out;
        if (layer.learned) loaded.bias = model.values(layer.name + ".bias");
        if (layer.normed) {
            const std::string norm = layer.name + ".norm";
            loaded.scale = layer.learned ? model.values(norm + ".weight") : std::vector<float>(n, 1.0f);
            loaded.shift = layer.learned ? model.values(norm + ".bias") : std::vector<float>(n, 0.0f);
            loaded.moments = {model.values(norm + ".running_mean"), model.values(norm + ".running_variance")};
        }
        layers_.push_back(std::move(loaded));
    }
}

Tokens ConvStack::operator()(int64_t windows, Tokens x) const {
    for (const Loaded& loaded : layers_) {
        const ConvLayer& layer = loaded.layer;
        CMR_ASSERT(x.features == layer.in, "features that the layer takes");
        const int64_t length = layer.out_length(x.length);
        Tokens y{length, layer.out, std::vector<float>(windows * length * layer.out)};
        const float* bias = loaded.bias.empty() ? nullptr : loaded.bias.data();
        if (layer.up)
            kernels::conv_backward_data(layer.shape(x.length), loaded.weights, windows, length, x.values.data(), bias,
                                        y.values.data());
        else
            kernels::conv_forward(layer.shape(x.length), loaded.weights, windows, x.length, x.values.data(), bias,
                                  y.values.data());
        if (layer.normed)
            kernels::batch_norm_gelu_forward(windows * length, layer.out, y.values.data(), loaded.moments,
                                             loaded.scale.data(), loaded.shift.data(), y.values.data());
        x = std::move(y);
    }
    return x;
}

Matrix errors_by_channel(int64_t windows, const Tokens& samples, const Tokens& decoded) {
    const int64_t channels = samples.features, length = samples.length;
    CMR_ASSERT(decoded.features == channels && decoded.length >= length, "all samples were decoded");
    Matrix out(windows, channels);
    parallel_for(windows, [&](int64_t w) {
        std::vector<double> sums(channels, 0.0);
        for (int64_t t = 0; t < length; ++t)
            for (int64_t c = 0; c < channels; ++c) {
                const double error = static_cast<double>(samples.values[(w * length + t) * channels + c]) -
                                     decoded.values[(w * decoded.length + t) * channels + c];
                sums[c] += error * error;
            }
        for (int64_t c = 0; c < channels; ++c)
            out.row(w)[c] = static_cast<float>(sums[c] / static_cast<double>(length));
    });
    return out;
}

Embedding rebuilt(int64_t windows, const Tokens& samples, Tokens latent, const ConvStack& decoder) {
    Embedding out;
    out.effects = latent;
    out.native_parts = errors_by_channel(windows, samples, decoder(windows, std::move(latent)));
    out.native = mean_of_rows(out.native_parts);
    return out;
}

}  // namespace cmr::model
