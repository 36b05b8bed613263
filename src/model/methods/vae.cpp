// Variational autoencoder (Kingma and Welling 2014): the encoder gives mean and log variance of each latent number; a
// window is scored by what the decoder makes of the means.
#include "model/methods/conv_layers.h"
#include "model/methods/rows.h"

namespace cmr::model {
namespace {

class Vae : public ScoringNetwork {
  public:
    explicit Vae(const Model& model)
        : encoder_(model, encoder_layers(model.config, "encoder", 2 * bottleneck(model.config))),
          decoder_(model, decoder_layers(model.config, "decoder", bottleneck(model.config))),
          channels_(model.config.channels()) {}

    Embedding embed(int64_t windows, int64_t length, const float* x) const override {
        const Tokens samples = token_rows(windows, channels_, length, x);
        const Tokens both = encoder_(windows, samples);
        Tokens mean{both.length, both.features / 2, {}};
        for (int64_t row = 0; row < windows * both.length; ++row) {
            const float* from = both.values.data() + row * both.features;
            mean.values.insert(mean.values.end(), from, from + mean.features);
        }
        return rebuilt(windows, samples, std::move(mean), decoder_);
    }

  private:
    ConvStack encoder_, decoder_;
    int64_t channels_;
};

void parameters(Specs& specs, const Config& config) {
    add_parameters(specs, encoder_layers(config, "encoder", 2 * bottleneck(config)));
    add_parameters(specs, decoder_layers(config, "decoder", bottleneck(config)));
}

int64_t floats_per_window(const Config& config, int64_t length) {
    return kept_floats(encoder_layers(config, "", 2 * bottleneck(config)), length) +
           kept_floats(decoder_layers(config, "", bottleneck(config)), conv_tokens(length)) +
           8 * conv_tokens(length) * bottleneck(config);
}

}  // namespace

Method vae_method() {
    return {.name = "vae",
            .what = "variational autoencoder",
            .learning_rate = 1e-3,
            .native = Native::kByChannel,
            .parameters = parameters,
            .features = bottleneck_features,
            .load = load_as<Vae>,
            .floats_per_window = floats_per_window};
}

}  // namespace cmr::model
