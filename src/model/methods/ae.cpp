// Convolutional autoencoder: the mean square of what it cannot rebuild.
#include "model/methods/conv_layers.h"
#include "model/methods/rows.h"

namespace cmr::model {
namespace {

class Ae : public ScoringNetwork {
  public:
    explicit Ae(const Model& model)
        : encoder_(model, encoder_layers(model.config, "encoder", bottleneck(model.config))),
          decoder_(model, decoder_layers(model.config, "decoder", bottleneck(model.config))),
          channels_(model.config.channels()) {}

    Embedding embed(int64_t windows, int64_t length, const float* x) const override {
        const Tokens samples = token_rows(windows, channels_, length, x);
        return rebuilt(windows, samples, encoder_(windows, samples), decoder_);
    }

  private:
    ConvStack encoder_, decoder_;
    int64_t channels_;
};

void parameters(Specs& specs, const Config& config) {
    add_parameters(specs, encoder_layers(config, "encoder", bottleneck(config)));
    add_parameters(specs, decoder_layers(config, "decoder", bottleneck(config)));
}

int64_t floats_per_window(const Config& config, int64_t length) {
    return kept_floats(encoder_layers(config, "", bottleneck(config)), length) +
           kept_floats(decoder_layers(config, "", bottleneck(config)), conv_tokens(length));
}

}  // namespace

Method ae_method() {
    return {.name = "ae",
            .what = "convolutional autoencoder",
            .learning_rate = 1e-3,
            .native = Native::kByChannel,
            .parameters = parameters,
            .features = bottleneck_features,
            .load = load_as<Ae>,
            .floats_per_window = floats_per_window};
}

}  // namespace cmr::model
