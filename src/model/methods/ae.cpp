// Convolutional autoencoder: the mean square of what it cannot rebuild.
#include "model/methods/conv_layers.h"
#include "model/methods/rivals.h"

namespace cmr::model {
namespace {

class Ae : public Rival {
  public:
    explicit Ae(const Model& model)
        : encoder_(model, encoder_layers(model.config, "encoder", bottleneck(model.config))),
          decoder_(model, decoder_layers(model.config, "decoder", bottleneck(model.config))),
          channels_(model.config.channels()) {}

    RivalOutput run(int64_t windows, int64_t length, const float* x) const override {
        const TokenRows samples = token_rows(windows, channels_, length, x);
        return rebuilt(windows, samples, encoder_(windows, samples), decoder_);
    }

  private:
    ConvStack encoder_, decoder_;
    int64_t channels_;
};

}  // namespace

void ae_parameters(Specs& specs, const Config& config) {
    add_parameters(specs, encoder_layers(config, "encoder", bottleneck(config)));
    add_parameters(specs, decoder_layers(config, "decoder", bottleneck(config)));
}

int64_t ae_features(const Config& config) { return bottleneck(config); }

std::unique_ptr<Rival> load_ae(const Model& model) { return std::make_unique<Ae>(model); }

int64_t ae_floats(const Config& config, int64_t length) {
    return kept_floats(encoder_layers(config, "", bottleneck(config)), length) +
           kept_floats(decoder_layers(config, "", bottleneck(config)), conv_tokens(length));
}

}  // namespace cmr::model
