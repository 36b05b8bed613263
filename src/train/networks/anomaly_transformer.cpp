// Anomaly Transformer: the reconstruction is learned together with a game. The Gaussian comes close to the series
// association (minimise), and the series association is pushed away from it (maximise), which forces it to look
// farther.
//
//   ‖x - x̂‖² - k · discrepancy(prior held, series)  and  ‖x - x̂‖² + k · discrepancy(prior, series held), added
#include "model/methods/anomaly_transformer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "train/networks/networks.h"

namespace cmr::train {
namespace {

using model::at_embedding;
using model::at_places;
using model::at_stride;
using model::kAtDiscrepancyWeight;
using model::kAtLayers;

class AnomalyTransformerNetwork : public Network {
  public:
    explicit AnomalyTransformerNetwork(const Model& model) : Network(model) {}

  protected:
    Losses run(const Tensor& windows, const Step&, bool training) override {
        const int64_t batch = windows.size(0), channels = windows.size(1), length = windows.size(2);
        const int64_t width = config().width, stride = at_stride(config(), length);
        const kernels::ConvShape stem = at_embedding(config(), length);
        Tensor h = ops::conv1d(stem, windows.transpose(1, 2).contiguous(), at("embedding.weight"), {});
        const int64_t tokens = h.size(1);
        std::vector<float> places = at_places(tokens, width);
        h = h + at::from_blob(places.data(), {tokens, width}, at::kFloat);
        Tensor series = at::zeros({}), prior = at::zeros({});
        for (int64_t i = 0; i < kAtLayers; ++i) {
            const std::string layer = fmt::format("layers.{}.", i);
            const auto linear = [&](const char* name, const Tensor& x) {
                return ops::linear(x, at(layer + name + ".weight"), at(layer + name + ".bias"));
            };
            const auto norm = [&](const char* name, const Tensor& x) {
                return ops::layer_norm(x, at(layer + name + ".weight"), at(layer + name + ".bias"), false);
            };
            const Tensor sigma = at::pow(3.0, (5 * linear("sigma", h)).sigmoid() + 1e-5) - 1;
            const ops::Attention attended =
                ops::attention(linear("query", h), linear("key", h), linear("value", h), sigma);
            series = series + attended.series_discrepancy.mean() / static_cast<double>(kAtLayers);
            prior = prior + attended.prior_discrepancy.mean() / static_cast<double>(kAtLayers);
            h = norm("norm1", h + linear("out", attended.out));
            h = norm("norm2", h + linear("feed2", at::gelu(linear("feed1", h))));
        }
        h = ops::layer_norm(h, at("norm.weight"), at("norm.bias"), false);
        const Tensor rebuilt = ops::linear(h, at("output.weight"), at("output.bias"))
                                   .view({batch, tokens, config().stem_stride, channels})
                                   .slice(2, 0, stride)
                                   .reshape({batch, tokens * stride, channels})
                                   .slice(1, 0, length)
                                   .contiguous();
        const Tensor error = ops::mean_square(rebuilt, windows.transpose(1, 2).contiguous());
        if (training) (2 * error + kAtDiscrepancyWeight * (prior - series)).backward();
        Losses losses;
        losses.effect = losses.judged = error.item<double>();
        losses.mechanism = prior.item<double>();
        losses.total = 2 * losses.effect + kAtDiscrepancyWeight * (prior - series).item<double>();
        return losses;
    }
};

}  // namespace

std::unique_ptr<Network> train_anomaly_transformer(const Model& model) {
    return std::make_unique<AnomalyTransformerNetwork>(model);
}

}  // namespace cmr::train
