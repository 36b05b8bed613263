#include "model/parameters.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "model/methods/rival.h"
#include "model/specs.h"

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

void fill(const ParameterSpec& spec, Rng rng, std::vector<float>& values) {
    switch (spec.init) {
        case Init::zeros:
            return;
        case Init::ones:
            std::fill(values.begin(), values.end(), 1.0f);
            return;
        case Init::uniform:
            for (float& v : values) v = static_cast<float>(rng.uniform(-spec.bound, spec.bound));
            return;
        case Init::log_states:
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<float>(std::log(static_cast<double>(i % spec.shape[1] + 1)));
            return;
        case Init::step_bias:
            for (float& v : values) {
                const double step = std::exp(rng.uniform(std::log(1e-3), std::log(1e-1)));
                v = static_cast<float>(step + std::log(-std::expm1(-step)));  // softplus, inverted
            }
            return;
        case Init::identity:
            for (int64_t i = 0; i < spec.shape[0]; ++i) values[i * spec.shape[1] + i] = 1.0f;
            return;
    }
}

}  // namespace

int64_t ParameterSpec::size() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::vector<ParameterSpec> parameter_specs(const Config& c) {
    Specs specs;
    if (const RivalKind* rival = find_rival(c.method)) {
        rival->parameters(specs, c);
        return specs.take();
    }
    for (const ChannelGroup& group : c.groups) add_encoder(specs, c, "encoders." + group.name);
    add_predictor(specs, c);
    for (const ChannelGroup& group : c.groups) {
        if (group.effect && c.effect_weight > 0)
            for (int64_t i = 0; i < group.channels; ++i)
                add_decoder(specs, c, fmt::format("decoders.{}.{}", group.name, i));
        if (!group.effect && c.cause_weight > 0) add_decoder(specs, c, "decoders." + group.name);
    }
    return specs.take();
}

int64_t parameter_count(const Config& config) {
    int64_t count = 0;
    for (const ParameterSpec& spec : parameter_specs(config))
        if (spec.trained) count += spec.size();
    return count;
}

std::vector<io::NamedTensor> initial_parameters(const Config& config, const Rng& rng) {
    check(config, "new model");
    std::vector<io::NamedTensor> tensors;
    for (const ParameterSpec& spec : parameter_specs(config)) {
        io::NamedTensor tensor{spec.name, spec.shape, std::vector<float>(spec.size(), 0.0f)};
        fill(spec, rng.split(spec.name), tensor.values);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace cmr::model
