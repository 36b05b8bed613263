// CMR: an encoder per channel group, a causal predictor from cause to effect tokens, and decoders, which only training
// needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/methods/rows.h"
#include "model/predictor.h"

namespace cmr::model {
namespace {

void add_encoder(Specs& specs, const Config& c, const std::string& name) {
    specs.add_layer(name + ".stem.conv", {c.width, 1, c.stem_kernel}, c.stem_kernel, c.width);
    specs.add_batch_norm(name + ".stem.norm", c.width);
    const kernels::MambaShape s = c.block();
    for (int64_t i = 0; i < c.layers; ++i) {
        const std::string layer = fmt::format("{}.layers.{}", name, i);
        specs.add_norm(layer + ".norm", s.model);
        specs.add_layer(layer + ".in_proj", {2 * s.inner, s.model}, s.model, 0);
        specs.add_layer(layer + ".conv", {s.inner, s.conv}, s.conv, s.inner);
        specs.add_layer(layer + ".x_proj", {s.projected(), s.inner}, s.inner, 0);
        specs.add(layer + ".dt_proj.weight", {s.inner, s.rank}, Init::uniform,
                  1.0 / std::sqrt(static_cast<double>(s.rank)));
        specs.add(layer + ".dt_proj.bias", {s.inner}, Init::step_bias);
        specs.add(layer + ".a_log", {s.inner, s.state}, Init::log_states);
        specs.add(layer + ".skip", {s.inner}, Init::ones);
        specs.add_layer(layer + ".out_proj", {s.model, s.inner}, s.inner, 0);
    }
    specs.add_norm(name + ".norm", c.width);
}

void add_predictor(Specs& specs, const Config& c) {
    const int64_t hidden = c.hidden(), in = c.cause_channels() * c.width, out = c.effect_channels() * c.width;
    specs.add_layer("predictor.fusion", {hidden, in}, in, 0);
    specs.add_norm("predictor.norm", hidden);
    for (int64_t i = 0; i < c.predictor_blocks; ++i) {
        const std::string block = fmt::format("predictor.blocks.{}", i);
        specs.add_layer(block + ".conv", {hidden, hidden, c.predictor_kernel}, hidden * c.predictor_kernel, hidden);
        specs.add_norm(block + ".norm", hidden);
    }
    if (c.effect_channels() == 1 && hidden == out) {  // the prediction starts as the fused cause embedding
        specs.add("predictor.output.weight", {out, hidden}, Init::identity);
        specs.add("predictor.output.bias", {out}, Init::zeros);
    } else {
        specs.add_layer("predictor.output", {out, hidden}, hidden, out);
    }
}

// Undoes the stem: twice as many rows, half the features, twice; then one number per sample. A transposed convolution's
// weight is [in, out, taps].
void add_decoder(Specs& specs, const Config& c, const std::string& name) {
    const int64_t w = c.width;
    specs.add_layer(name + ".mix", {w, w, 3}, w * 3, w);
    specs.add_batch_norm(name + ".mix_norm", w);
    specs.add_layer(name + ".up1", {w, w / 2, 4}, w / 2 * 4, w / 2);
    specs.add_batch_norm(name + ".up1_norm", w / 2);
    specs.add_layer(name + ".up2", {w / 2, w / 4, 4}, w / 4 * 4, w / 4);
    specs.add_batch_norm(name + ".up2_norm", w / 4);
    specs.add_layer(name + ".output", {1, w / 4, 7}, w / 4 * 7, 1);
}

void parameters(Specs& specs, const Config& c) {
    for (const ChannelGroup& group : c.groups) add_encoder(specs, c, "encoders." + group.name);
    add_predictor(specs, c);
    for (const ChannelGroup& group : c.groups) {
        if (group.effect && c.effect_weight > 0)
            for (int64_t i = 0; i < group.channels; ++i)
                add_decoder(specs, c, fmt::format("decoders.{}.{}", group.name, i));
        if (!group.effect && c.cause_weight > 0) add_decoder(specs, c, "decoders." + group.name);
    }
}

class Cmr : public ScoringNetwork {
  public:
    Cmr(const Model& model, const OptionalStreams& streams)
        : config_(model.config), predictor_(model), streams_(streams) {
        const bool decoders = streams.decoding || streams.foretelling;
        for (const ChannelGroup& group : config_.groups) {
            encoders_.emplace_back(model, group.name);
            for (int64_t c = 0; decoders && group.effect && c < group.channels; ++c)
                decoders_.emplace_back(model, fmt::format("{}.{}", group.name, c));
        }
    }

    Embedding embed(int64_t windows, int64_t length, const float* x) const override {
        const FeatureCounts features = method_named(config_.method).features(config_);
        const auto room = [&](int64_t wide) {
            const int64_t tokens = config_.tokens(length);
            return Tokens{tokens, wide, std::vector<float>(windows * tokens * wide)};
        };
        Embedding out;
        out.causes = room(features.causes);
        out.effects = room(features.effects);
        out.predicted = room(features.effects);
        if (streams_.cause_encoded) out.cause_encoded = room(features.effects);
        if (streams_.decoding) out.native_parts = Matrix(windows, config_.channels());
        Matrix rebuilt(windows, streams_.decoding ? std::ssize(decoders_) : 0);

        int64_t before = 0, causes = 0, effects = 0;  // channels
        for (size_t g = 0; g < encoders_.size(); ++g) {
            const ChannelGroup& group = config_.groups[g];
            const Samples samples(windows, config_.channels(), length, x, before, group.channels);
            const std::vector<float> z = samples.encoded_by(encoders_[g]);
            place(z, group.channels, group.effect ? effects : causes, group.effect ? out.effects : out.causes);
            if (group.effect && streams_.cause_encoded)
                place(samples.encoded_by(first_cause()), group.channels, effects, out.cause_encoded);
            for (int64_t c = 0; group.effect && streams_.decoding && c < group.channels; ++c) {
                const std::vector<float> error = errors(decoders_[effects + c], samples, z, c);
                for (int64_t w = 0; w < windows; ++w)
                    rebuilt.row(w)[effects + c] = out.native_parts.row(w)[before + c] = error[w];
            }
            before += group.channels;
            (group.effect ? effects : causes) += group.channels;
        }
        for (int64_t w = 0; w < rebuilt.rows && rebuilt.columns > 0; ++w) {
            const auto parts = rebuilt.row(w);
            out.native.push_back(std::reduce(parts.begin(), parts.end()) / static_cast<float>(parts.size()));
        }
        predictor_.predict(windows, out.causes.length, out.causes.values.data(), out.predicted.values.data());
        if (streams_.foretelling) out.foretold = decoded(windows, length, out.predicted);
        return out;
    }

  private:
    // Those of one group, [windows, channels of the group, length].
    struct Samples {
        Samples(int64_t windows, int64_t all, int64_t samples, const float* x, int64_t first, int64_t count)
            : rows(windows * count), channels(count), length(samples), values(rows * length) {
            for (int64_t w = 0; w < windows; ++w)
                std::copy_n(x + (w * all + first) * length, count * length, values.data() + w * count * length);
        }
        // [windows, channels of the group, tokens, width]
        std::vector<float> encoded_by(const Encoder& encoder) const {
            std::vector<float> z(rows * encoder.tokens(length) * encoder.width());
            encoder.embed(rows, length, values.data(), z.data());
            return z;
        }

        int64_t rows, channels, length;
        std::vector<float> values;
    };

    const Encoder& first_cause() const {
        return encoders_[std::ranges::find(config_.groups, false, &ChannelGroup::effect) - config_.groups.begin()];
    }

    // The channels of a group side by side, from `channel` on.
    void place(const std::vector<float>& z, int64_t channels, int64_t channel, Tokens& to) const {
        const int64_t width = config_.width, tokens = to.length;
        parallel_for(std::ssize(z) / (tokens * width), [&](int64_t i) {
            const int64_t w = i / channels, at = (channel + i % channels) * width;
            for (int64_t t = 0; t < tokens; ++t)
                std::copy_n(z.data() + (i * tokens + t) * width, width,
                            to.values.data() + (w * tokens + t) * to.features + at);
        });
    }

    // The mean square of what the decoder of a channel makes of its tokens, per window.
    std::vector<float> errors(const Decoder& decoder, const Samples& samples, const std::vector<float>& z,
                              int64_t channel) const {
        const int64_t length = samples.length, windows = samples.rows / samples.channels;
        const int64_t tokens = config_.tokens(length), floats = tokens * config_.width;
        std::vector<float> own(windows * floats), decoded(windows * length), out;
        for (int64_t w = 0; w < windows; ++w)
            std::copy_n(z.data() + (w * samples.channels + channel) * floats, floats, own.data() + w * floats);
        decoder.decode(windows, tokens, own.data(), length, decoded.data());
        for (int64_t w = 0; w < windows; ++w) {
            double sum = 0;
            for (int64_t t = 0; t < length; ++t) {
                const double error = static_cast<double>(decoded[w * length + t]) -
                                     samples.values[(w * samples.channels + channel) * length + t];
                sum += error * error;
            }
            out.push_back(static_cast<float>(sum / static_cast<double>(length)));
        }
        return out;
    }

    // What decoders make of the tokens of effects, [windows, effect channels · length].
    Matrix decoded(int64_t windows, int64_t length, const Tokens& effects) const {
        const int64_t tokens = effects.length, width = config_.width, channels = std::ssize(decoders_);
        Matrix out(windows, channels * length);
        std::vector<float> own(windows * tokens * width), samples(windows * length);
        for (int64_t c = 0; c < channels; ++c) {
            for (int64_t row = 0; row < windows * tokens; ++row)
                std::copy_n(effects.values.data() + row * effects.features + c * width, width,
                            own.data() + row * width);
            decoders_[c].decode(windows, tokens, own.data(), length, samples.data());
            for (int64_t w = 0; w < windows; ++w)
                std::copy_n(samples.data() + w * length, length, out.row(w).data() + c * length);
        }
        return out;
    }

    Config config_;
    std::vector<Encoder> encoders_;  // per group
    Predictor predictor_;
    std::vector<Decoder> decoders_;  // per effect channel; none unless asked for
    OptionalStreams streams_;
};

FeatureCounts features(const Config& c) {
    return {c.cause_channels() * c.width, c.effect_channels() * c.width, c.width};
}

int64_t floats_per_window(const Config& c, int64_t length) {
    const int64_t tokens = c.tokens(length), width = c.width;
    // Embeddings whole, cut and their gradients, the stem before and behind its norm, and what each layer keeps.
    const int64_t encoders = c.channels() * tokens * width * (6 + 6 * c.layers);
    // Causes side by side, joined, and both gradients; effects side by side, joined, predicted, and the gradient.
    const int64_t predictor = tokens * (c.hidden() * (4 * c.predictor_blocks + 6) + 4 * width * c.channels());
    const int64_t streams = c.waveform_weight > 0 ? 2 : 1;                            // tokens seen, and foretold
    const int64_t decoder = streams * (6 * tokens * width + 6 * length * width / 2);  // one at a time
    return encoders + predictor + decoder;
}

}  // namespace

Method cmr_method() {
    return {.name = "cmr",
            .what = "encoders of causes and effects, and the mechanism between them",
            .knows_causes = true,
            .parameters = parameters,
            .features = features,
            .load = [](const Model& model, const OptionalStreams& streams) -> std::unique_ptr<ScoringNetwork> {
                return std::make_unique<Cmr>(model, streams);
            },
            .floats_per_window = floats_per_window};
}

Method untrained_method() {
    Method out = cmr_method();
    out.name = "untrained";
    out.what = "cmr as it begins";
    out.learns = false;
    return out;
}

}  // namespace cmr::model
