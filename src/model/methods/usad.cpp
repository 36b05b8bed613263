// USAD: one encoder, two decoders. AE1 rebuilds windows, AE2 learns to tell windows from what AE1 made of them. Score
// α ‖x - AE1(x)‖² + β ‖x - AE2(AE1(x))‖².
#include "model/methods/usad.h"

#include <cmath>

#include "model/methods/conv_layers.h"
#include "model/methods/rows.h"

namespace cmr::model {
namespace {

class Usad : public ScoringNetwork {
  public:
    explicit Usad(const Model& model)
        : encoder_(model, encoder_layers(model.config, "encoder", bottleneck(model.config))),
          decoder1_(model, decoder_layers(model.config, "decoder1", bottleneck(model.config))),
          decoder2_(model, decoder_layers(model.config, "decoder2", bottleneck(model.config))),
          channels_(model.config.channels()) {}

    Embedding embed(int64_t windows, int64_t length, const float* x) const override {
        Tokens samples = token_rows(windows, channels_, length, x);
        for (float& value : samples.values) value = value * kUsadScale + kUsadShift;
        Tokens z = encoder_(windows, samples);
        Embedding out;
        out.effects = z;
        const Tokens first = decoded(decoder1_, windows, length, std::move(z));
        const Tokens second = decoded(decoder2_, windows, length, encoder_(windows, first));
        out.native_parts = errors_by_channel(windows, samples, first);
        const Matrix of_second = errors_by_channel(windows, samples, second);
        for (size_t i = 0; i < out.native_parts.values.size(); ++i)
            out.native_parts.values[i] = kUsadAlpha * out.native_parts.values[i] + kUsadBeta * of_second.values[i];
        out.native = mean_of_rows(out.native_parts);
        return out;
    }

  private:
    // As long as the window, from 0 to 1.
    Tokens decoded(const ConvStack& decoder, int64_t windows, int64_t length, Tokens z) const {
        const Tokens all = decoder(windows, std::move(z));
        Tokens out{length, channels_, {}};
        for (int64_t w = 0; w < windows; ++w) {
            const float* from = all.values.data() + w * all.length * channels_;
            out.values.insert(out.values.end(), from, from + length * channels_);
        }
        for (float& value : out.values) value = 1 / (1 + std::exp(-value));
        return out;
    }

    ConvStack encoder_, decoder1_, decoder2_;
    int64_t channels_;
};

void parameters(Specs& specs, const Config& config) {
    add_parameters(specs, encoder_layers(config, "encoder", bottleneck(config)));
    add_parameters(specs, decoder_layers(config, "decoder1", bottleneck(config)));
    add_parameters(specs, decoder_layers(config, "decoder2", bottleneck(config)));
}

int64_t floats_per_window(const Config& config, int64_t length) {  // the encoder twice, three decodings
    return 2 * kept_floats(encoder_layers(config, "", bottleneck(config)), length) +
           3 * kept_floats(decoder_layers(config, "", bottleneck(config)), conv_tokens(length)) +
           6 * length * config.channels();
}

}  // namespace

Method usad_method() {
    return {.name = "usad",
            .what = "USAD: adversarially trained autoencoders",
            .learning_rate = 1e-3,
            .native = Native::kByChannel,
            .parameters = parameters,
            .features = bottleneck_features,
            .load = load_as<Usad>,
            .floats_per_window = floats_per_window};
}

}  // namespace cmr::model
