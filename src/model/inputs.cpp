#include "model/inputs.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace cmr::model {

Inputs::Inputs(std::vector<data::Channel> causes, std::vector<data::Channel> effects, const std::string& effect_input,
               std::optional<linear::LaggedRidge> innovation)
    : causes_(std::move(causes)), effects_(std::move(effects)), innovation_(std::move(innovation)) {
    CMR_ASSERT(effect_input == "signal" || innovation_, "an innovation needs a linear mechanism");
    if (causes_.empty() || effects_.empty())
        throw InputError("{} cause and {} effect channels move in healthy training data, expected at least one of each",
                         causes_.size(), effects_.size());
    const auto add = [&](const std::vector<data::Channel>& channels, bool effect, bool innovation_of) {
        std::vector<std::string> groups;
        for (const data::Channel& channel : channels)
            if (std::ranges::find(groups, channel.group) == groups.end()) groups.push_back(channel.group);
        for (const std::string& group : groups)
            for (size_t i = 0; i < channels.size(); ++i)
                if (channels[i].group == group)
                    sources_.push_back({innovation_of ? group + "-innovation" : group, effect, innovation_of,
                                        static_cast<int64_t>(i)});
    };
    add(causes_, false, false);
    if (effect_input != "innovation") add(effects_, true, false);
    if (effect_input != "signal") add(effects_, true, true);
}

std::vector<ChannelGroup> Inputs::groups() const {
    std::vector<ChannelGroup> out;
    for (const Source& source : sources_) {
        if (out.empty() || out.back().name != source.group)
            out.push_back({source.group, source.effect, 1});
        else
            ++out.back().channels;
    }
    return out;
}

std::vector<int64_t> Inputs::shown_effects() const {
    std::vector<int64_t> out;
    for (const Source& source : sources_)
        if (source.effect) out.push_back(source.channel);
    return out;
}

void Inputs::assemble(const MatrixView& causes, const MatrixView& effects, float* out) const {
    const int64_t length = causes.columns / std::ssize(causes_);
    CMR_ASSERT(causes.rows == effects.rows && causes.columns == length * std::ssize(causes_) &&
                   effects.columns == length * std::ssize(effects_),
               "windows of the channels that were given");
    const Matrix innovations = innovation_ ? innovation_->residuals(causes, effects) : Matrix();
    const int64_t known = innovations.columns / std::ssize(effects_);  // samples of an innovation
    parallel_for(causes.rows, [&](int64_t row) {
        float* to = out + row * channels() * length;
        for (const Source& source : sources_) {
            if (source.innovation) {
                std::fill_n(to, length - known, 0.0f);
                std::ranges::copy(innovations.row(row).subspan(source.channel * known, known), to + length - known);
            } else {
                const MatrixView& side = source.effect ? effects : causes;
                std::ranges::copy(side.row(row).subspan(source.channel * length, length), to);
            }
            to += length;
        }
    });
}

Matrix Inputs::unforetold(int64_t windows, int64_t length, const float* x, const float* foretold) const {
    const auto shown = std::ranges::count(sources_, true, &Source::effect);
    Matrix out(windows, std::ssize(effects_) * length);
    parallel_for(windows, [&](int64_t w) {
        const float* sample = x + w * channels() * length;
        const float* of_effect = foretold + w * shown * length;
        for (const Source& source : sources_) {
            // Where an effect is shown twice, its innovation comes last and counts.
            if (source.effect) {
                const auto unit =
                    source.innovation ? static_cast<float>(innovation_->ridge().deviation(source.channel)) : 1.0f;
                const auto to = out.row(w).subspan(source.channel * length, length);
                for (int64_t t = 0; t < length; ++t) to[t] = unit * (sample[t] - of_effect[t]);
                of_effect += length;
            }
            sample += length;
        }
    });
    return out;
}

}  // namespace cmr::model
