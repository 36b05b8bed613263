#include "model/config.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "io/json_fields.h"
#include "io/tensors/header.h"
#include "kernels/precision.h"
#include "model/methods/method.h"

namespace cmr::model {
namespace {

// Files from before there were other methods name none; float32 is not written.
std::string with_defaults(const std::string& text) {
    io::Json json = io::Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && !json.contains("method")) json["method"] = "cmr";
    if (json.is_object() && !json.contains("precision")) json["precision"] = "float32";
    return json.is_object() ? io::to_text(json) : text;
}

int64_t count_channels(const Config& config, bool causes, bool effects) {
    int64_t count = 0;
    for (const ChannelGroup& group : config.groups)
        if (group.effect ? effects : causes) count += group.channels;
    return count;
}

}  // namespace

int64_t Config::channels() const { return count_channels(*this, true, true); }
int64_t Config::cause_channels() const { return count_channels(*this, true, false); }
int64_t Config::effect_channels() const { return count_channels(*this, false, true); }

int64_t Config::hidden() const {
    if (predictor_width > 0) return predictor_width;
    return effect_channels() == 1 ? width : 2 * width;
}

kernels::ConvShape Config::stem() const {
    const int64_t pad = stem_kernel / 2;
    return {.in = 1, .out = width, .kernel = stem_kernel, .stride = stem_stride, .pad_left = pad, .pad_right = pad};
}

kernels::MambaShape Config::block(kernels::Precision with) const {
    return {.model = width, .inner = expand * width, .state = state, .conv = conv, .rank = rank, .precision = with};
}

kernels::Precision Config::scoring_precision() const {
    return kernels::chosen_precision(kernels::precision_named(precision, "precision"));
}

kernels::Precision Config::training_precision() const {
    const kernels::Precision scoring = scoring_precision();
    return scoring == kernels::Precision::bf16 ? kernels::Precision::float32 : scoring;
}

void check(const Config& config, const std::string& source) {
    const auto in_range = [&](const char* name, int64_t value, int64_t low, int64_t high) {
        if (value < low || value > high)
            throw InputError("{}: {} = {}, expected {} to {}", source, name, value, low, high);
    };
    const auto weight = [&](const char* name, double value, double high) {
        if (!(value >= 0.0 && value <= high))
            throw InputError("{}: {} = {}, expected 0 to {}", source, name, value, high);
    };
    if (std::ranges::find(methods(), config.method, &Method::name) == methods().end())
        throw InputError("{}: method = {} must be one that this cmr knows", source, io::in_quotes(config.method));
    if (config.groups.size() > 10'000) throw InputError("{}: {} channel groups", source, config.groups.size());
    std::set<std::string> names;
    for (const ChannelGroup& group : config.groups) {
        if (group.name.empty() || group.name.find_first_of(". \t\n") != std::string::npos)
            throw InputError("{}: channel group {}: a name without dots and blanks is wanted", source,
                             io::in_quotes(group.name));
        if (!names.insert(group.name).second)
            throw InputError("{}: two channel groups named {}", source, io::in_quotes(group.name));
        in_range("channels of a group", group.channels, 1, 10'000);
    }
    if (config.cause_channels() == 0 || config.effect_channels() == 0)
        throw InputError("{}: at least one cause and one effect channel are needed", source);
    in_range("width", config.width, 1, 4096);
    in_range("layers", config.layers, 0, 256);
    in_range("state", config.state, 1, 1024);
    in_range("conv", config.conv, 1, 64);
    in_range("expand", config.expand, 1, 16);
    in_range("rank", config.rank, 1, 1024);
    in_range("stem_kernel", config.stem_kernel, 1, 1023);
    if (config.stem_kernel % 2 == 0) throw InputError("{}: stem_kernel = {} must be odd", source, config.stem_kernel);
    in_range("stem_stride", config.stem_stride, 1, 1024);
    in_range("predictor_width", config.predictor_width, 0, 65536);
    in_range("predictor_kernel", config.predictor_kernel, 1, 1023);
    in_range("predictor_blocks", config.predictor_blocks, 0, 64);
    weight("dropout", config.dropout, 0.99);
    weight("mechanism_weight", config.mechanism_weight, 1e6);
    weight("effect_weight", config.effect_weight, 1e6);
    weight("cause_weight", config.cause_weight, 1e6);
    weight("waveform_weight", config.waveform_weight, 1e6);
    if (config.effect_input != "signal" && config.effect_input != "innovation" && config.effect_input != "both")
        throw InputError("{}: effect_input = {} must be signal, innovation or both", source,
                         io::in_quotes(config.effect_input));
    if (config.precision != "float32" && config.precision != "bf16x3" && config.precision != "bf16")
        throw InputError("{}: precision = {} must be float32, bf16x3 or bf16", source, io::in_quotes(config.precision));
    const bool decodes = config.effect_weight > 0 || config.cause_weight > 0;
    if (decodes && (config.stem_stride != 4 || config.width % 4 != 0))
        throw InputError("{}: the decoder undoes a stem_stride of 4 and wants a width divisible by 4, found {} and {}",
                         source, config.stem_stride, config.width);
}

std::string to_json(const Config& config) {
    auto json = io::to_json(config);
    if (config.precision == "float32") json.erase("precision");  // so that files stay what they were
    return io::to_text(json);
}

Config config_from_json(const std::string& text, const std::string& source) {
    Config config;
    io::from_json(with_defaults(text), source, "model setting", config);
    check(config, source);
    return config;
}

}  // namespace cmr::model
