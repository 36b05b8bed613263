// Deep SVDD (Ruff et al. 2018), one-class: distance of a window's embedding to the centre of the healthy ones. No layer
// has a bias and no norm learns a shift, else all windows could be mapped onto the centre. The embedding of a window is
// the mean of its tokens.
#include "model/methods/svdd.h"

#include "model/methods/conv_layers.h"
#include "model/methods/rows.h"

namespace cmr::model {
namespace {

class Svdd : public ScoringNetwork {
  public:
    explicit Svdd(const Model& model)
        : encoder_(model, encoder_layers(model.config, "encoder", kSvddFeatures, false)),
          channels_(model.config.channels()),
          centre_(model.values("centre")) {}

    Embedding embed(int64_t windows, int64_t length, const float* x) const override {
        Tokens z = encoder_(windows, token_rows(windows, channels_, length, x));
        Embedding out;
        for (int64_t w = 0; w < windows; ++w) {
            double distance = 0;
            for (int64_t f = 0; f < z.features; ++f) {
                double sum = 0;
                for (int64_t t = 0; t < z.length; ++t) sum += z.values[(w * z.length + t) * z.features + f];
                const double off = sum / static_cast<double>(z.length) - centre_[f];
                distance += off * off;
            }
            out.native.push_back(static_cast<float>(distance));
        }
        out.effects = std::move(z);
        return out;
    }

  private:
    ConvStack encoder_;
    int64_t channels_;
    std::vector<float> centre_;
};

void parameters(Specs& specs, const Config& config) {
    add_parameters(specs, encoder_layers(config, "encoder", kSvddFeatures, false));
    specs.add("centre", {kSvddFeatures}, Init::zeros, 0.0, false);
}

int64_t floats_per_window(const Config& config, int64_t length) {
    return kept_floats(encoder_layers(config, "", kSvddFeatures, false), length);
}

}  // namespace

Method svdd_method() {
    return {.name = "svdd",
            .what = "Deep SVDD: distance to a centre",
            .learning_rate = 1e-4,
            .native = Native::kWhole,
            .parameters = parameters,
            .features = [](const Config&) { return FeatureCounts{.effects = kSvddFeatures}; },
            .load = load_as<Svdd>,
            .floats_per_window = floats_per_window};
}

}  // namespace cmr::model
