// Anomaly Transformer: each token attends to others (series association) and to a Gaussian around itself (prior). An
// anomaly finds it hard to attend beyond its neighbours, so the two differ less: softmax(-discrepancy) over time
// weighs the squared errors of the reconstruction.
#include "model/methods/anomaly_transformer.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/attention.h"
#include "kernels/norm.h"
#include "model/methods/conv_layers.h"
#include "model/methods/rows.h"

namespace cmr::model {
namespace {

using Floats = std::vector<float>;

class Linear {
  public:
    Linear(const Model& model, const std::string& name, int64_t in, int64_t out)
        : shape_{.in = in, .out = out},
          weights_(shape_, model.at(name + ".weight"), kernels::ConvWeights::For::forward),
          bias_(model.values(name + ".bias")) {}

    Floats operator()(const Floats& x) const {
        const int64_t rows = std::ssize(x) / shape_.in;
        Floats y(rows * shape_.out);
        kernels::conv_forward(shape_, weights_, 1, rows, x.data(), bias_.data(), y.data());
        return y;
    }

  private:
    kernels::ConvShape shape_;
    kernels::ConvWeights weights_;
    Floats bias_;
};

class Norm {
  public:
    Norm(const Model& model, const std::string& name)
        : weight_(model.values(name + ".weight")), bias_(model.values(name + ".bias")) {}

    void operator()(Floats& x) const {
        kernels::layer_norm_forward(std::ssize(x) / std::ssize(weight_), std::ssize(weight_), x.data(), weight_.data(),
                                    bias_.data(), false, x.data());
    }

  private:
    Floats weight_, bias_;
};

float gelu(float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); }

struct Layer {
    Layer(const Model& model, const std::string& name, int64_t width, int64_t heads)
        : query(model, name + ".query", width, width),
          key(model, name + ".key", width, width),
          value(model, name + ".value", width, width),
          sigma(model, name + ".sigma", width, heads),
          out(model, name + ".out", width, width),
          feed1(model, name + ".feed1", width, width),
          feed2(model, name + ".feed2", width, width),
          norm1(model, name + ".norm1"),
          norm2(model, name + ".norm2") {}

    Linear query, key, value, sigma, out, feed1, feed2;
    Norm norm1, norm2;
};

class AnomalyTransformer : public ScoringNetwork {
  public:
    explicit AnomalyTransformer(const Model& model)
        : config_(model.config),
          embedding_(at_embedding(config_, 1), model.at("embedding.weight"), kernels::ConvWeights::For::forward),
          norm_(model, "norm"),
          output_(model, "output", config_.width, config_.channels() * config_.stem_stride) {
        for (int64_t i = 0; i < kAtLayers; ++i)
            layers_.emplace_back(model, fmt::format("layers.{}", i), config_.width, at_heads(config_));
    }

    Embedding embed(int64_t windows, int64_t length, const float* x) const override {
        const int64_t channels = config_.channels(), width = config_.width, heads = at_heads(config_);
        const Tokens samples = token_rows(windows, channels, length, x);
        const kernels::ConvShape stem = at_embedding(config_, length);
        const int64_t tokens = stem.out_length(length), stride = at_stride(config_, length);
        Floats h(windows * tokens * width);
        kernels::conv_forward(stem, embedding_, windows, length, samples.values.data(), nullptr, h.data());
        const Floats places = at_places(tokens, width);
        for (size_t i = 0; i < h.size(); ++i) h[i] += places[i % places.size()];

        Floats discrepancy(windows * tokens, 0.0f);  // mean over heads, sum over layers
        for (const Layer& layer : layers_) {
            const Floats q = layer.query(h), k = layer.key(h), v = layer.value(h);
            Floats sigma = layer.sigma(h);
            for (float& s : sigma) s = std::pow(3.0f, 1 / (1 + std::exp(-5 * s)) + 1e-5f) - 1;
            Floats attended(h.size()), marks(sigma.size());
            kernels::attention_forward({windows, tokens, width, heads}, q.data(), k.data(), v.data(), sigma.data(),
                                       attended.data(), nullptr, marks.data());
            for (size_t i = 0; i < marks.size(); ++i) discrepancy[i / heads] += marks[i] / static_cast<float>(heads);
            const Floats mixed = layer.out(attended);
            for (size_t i = 0; i < h.size(); ++i) h[i] += mixed[i];
            layer.norm1(h);
            Floats fed = layer.feed1(h);
            for (float& value : fed) value = gelu(value);
            fed = layer.feed2(fed);
            for (size_t i = 0; i < h.size(); ++i) h[i] += fed[i];
            layer.norm2(h);
        }
        norm_(h);

        // A token rebuilds the samples it stands for: its first channels · stride numbers, channel by channel.
        const Floats rebuilt = output_(h);
        const int64_t row = channels * config_.stem_stride;
        Embedding out;
        out.effects = {tokens, width, std::move(h)};
        out.native.resize(windows);
        out.native_parts = Matrix(windows, channels);
        parallel_for(windows, [&](int64_t w) {
            std::vector<double> weight(tokens);
            double least = discrepancy[w * tokens];
            for (int64_t t = 1; t < tokens; ++t) least = std::min<double>(least, discrepancy[w * tokens + t]);
            double total = 0;
            for (int64_t t = 0; t < tokens; ++t) {
                weight[t] = std::exp(-kAtTemperature * (discrepancy[w * tokens + t] - least) / kAtLayers);
                total += weight[t];
            }
            std::vector<double> sums(channels, 0.0);
            for (int64_t t = 0; t < tokens; ++t)
                for (int64_t j = 0; j < stride && t * stride + j < length; ++j)
                    for (int64_t c = 0; c < channels; ++c) {
                        const double error =
                            static_cast<double>(samples.values[(w * length + t * stride + j) * channels + c]) -
                            rebuilt[(w * tokens + t) * row + j * channels + c];
                        sums[c] += weight[t] / total * error * error / static_cast<double>(stride);
                    }
            double native = 0;
            for (int64_t c = 0; c < channels; ++c) {
                out.native_parts.row(w)[c] = static_cast<float>(sums[c]);
                native += sums[c] / static_cast<double>(channels);
            }
            out.native[w] = static_cast<float>(native);
        });
        return out;
    }

  private:
    Config config_;
    kernels::ConvWeights embedding_;
    std::vector<Layer> layers_;
    Norm norm_;
    Linear output_;
};

void parameters(Specs& specs, const Config& c) {
    const int64_t w = c.width, kernel = at_embedding(c, 1).kernel;
    specs.add_layer("embedding", {w, c.channels(), kernel}, c.channels() * kernel, 0);
    for (int64_t i = 0; i < kAtLayers; ++i) {
        const std::string layer = fmt::format("layers.{}.", i);
        for (const char* name : {"query", "key", "value", "out", "feed1", "feed2"})
            specs.add_layer(layer + name, {w, w}, w, w);
        specs.add_layer(layer + "sigma", {at_heads(c), w}, w, at_heads(c));
        specs.add_norm(layer + "norm1", w);
        specs.add_norm(layer + "norm2", w);
    }
    specs.add_norm("norm", w);
    specs.add_layer("output", {c.channels() * c.stem_stride, w}, w, c.channels() * c.stem_stride);
}

int64_t floats_per_window(const Config& config, int64_t length) {
    const int64_t tokens = at_embedding(config, length).out_length(length), heads = at_heads(config);
    return kAtLayers * (heads * tokens * tokens + 24 * tokens * config.width) +
           4 * tokens * (config.width + config.channels() * config.stem_stride);
}

}  // namespace

Method anomaly_transformer_method() {
    return {.name = "anomaly-transformer",
            .what = "Anomaly Transformer: association discrepancy",
            .learning_rate = 1e-4,
            .native = Native::kByChannel,
            .parameters = parameters,
            .features = [](const Config& config) { return FeatureCounts{.effects = config.width}; },
            .load = load_as<AnomalyTransformer>,
            .floats_per_window = floats_per_window};
}

}  // namespace cmr::model
