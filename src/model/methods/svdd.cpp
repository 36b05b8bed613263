// Deep SVDD (Ruff et al. 2018), one-class: distance of a window's embedding to the centre of the healthy ones. No layer
// has a bias and no norm learns a shift, else all windows could be mapped onto the centre. The embedding of a window is
// the mean of its tokens.
#include "model/methods/conv_layers.h"
#include "model/methods/rivals.h"

namespace cmr::model {
namespace {

class Svdd : public Rival {
  public:
    explicit Svdd(const Model& model)
        : encoder_(model, encoder_layers(model.config, "encoder", svdd_features(model.config), false)),
          channels_(model.config.channels()),
          centre_(model.at("centre"), model.at("centre") + svdd_features(model.config)) {}

    RivalOutput run(int64_t windows, int64_t length, const float* x) const override {
        TokenRows z = encoder_(windows, token_rows(windows, channels_, length, x));
        RivalOutput out{z.length, z.features, {}, {}, {}};
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
        out.embedding = std::move(z.values);
        return out;
    }

  private:
    ConvStack encoder_;
    int64_t channels_;
    std::vector<float> centre_;
};

}  // namespace

void svdd_parameters(Specs& specs, const Config& config) {
    add_parameters(specs, encoder_layers(config, "encoder", svdd_features(config), false));
    specs.add("centre", {svdd_features(config)}, Init::zeros, 0.0, false);
}

int64_t svdd_features(const Config&) { return 32; }  // as in the original

std::unique_ptr<Rival> load_svdd(const Model& model) { return std::make_unique<Svdd>(model); }

int64_t svdd_floats(const Config& config, int64_t length) {
    return kept_floats(encoder_layers(config, "", svdd_features(config), false), length);
}

}  // namespace cmr::model
