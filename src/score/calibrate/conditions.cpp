#include "score/calibrate/conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/quantile.h"
#include "base/text.h"

namespace cmr::score {
namespace {

constexpr int64_t kFewestGroups = 5;  // that a range is known by
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Group {
    double of[kConditions];  // NaN: it says nothing
};

// Of one channel; scaled, noise and resolution as logarithms.
Group group_of(std::span<const float> samples, double mean, double deviation) {
    if (std::ranges::any_of(samples, [](float value) { return std::isnan(value); })) return {{kNone, kNone, kNone}};
    const float middle = median_of(std::vector<float>(samples.begin(), samples.end()));
    double sum = 0, least = std::numeric_limits<double>::infinity();
    for (size_t t = 1; t < samples.size(); ++t) {
        const double step = std::abs(double{samples[t]} - samples[t - 1]);
        sum += step;
        if (step > 0) least = std::min(least, step);
    }
    const bool moves = std::isfinite(least);
    return {{(middle - mean) / deviation,
             moves ? std::log(sum / static_cast<double>(samples.size() - 1) / deviation) : kNone,
             moves ? std::log(least / deviation) : kNone}};
}

// visit(group, begin) for the groups of a stretch.
template <typename Visit>
void for_groups(const data::Dataset& dataset, const data::Scaler& scaler, const data::SampleRange& stretch,
                int64_t channel, int64_t length, const Visit& visit) {
    const auto samples = std::as_const(dataset.recordings[stretch.recording].channels[channel]).values();
    for (int64_t begin = stretch.begin; begin + length <= stretch.end; begin += length)
        visit(group_of(samples.subspan(begin, length), scaler.mean[channel], scaler.deviation[channel]), begin);
}

// Is this too far from what healthy groups had, low … high?
bool is_off(Condition condition, double value, double low, double high) {
    if (low > high || std::isnan(value)) return false;
    // The least of many steps has a wide range by itself, and its upper end is known well.
    if (condition == Condition::kResolution) return value > high + std::log(4.0);
    const double allowed = high - low + (condition == Condition::kLevel ? 1.0 : std::log(2.0));
    return value < low - allowed || value > high + allowed;
}

}  // namespace

std::string to_text(const VoidPromise& what, const std::string& channel) {
    switch (what.what) {
        case Condition::kLevel:
            return fmt::format("{} is at {}, and was between {} and {} when healthy", channel, short_number(what.is, 4),
                               short_number(what.low, 4), short_number(what.high, 4));
        case Condition::kNoise:
            return fmt::format("{} moves by {} from sample to sample, and by {} to {} when healthy", channel,
                               short_number(what.is), short_number(what.low), short_number(what.high));
        case Condition::kResolution:
            return fmt::format(
                "{} is rounded to {:.3g}, and was resolved to {:.3g} when healthy (fit anew with step = {:.3g} in its "
                "[[channels]], and both are alike)",
                channel, what.is, what.high, what.is);
    }
    return channel;
}

Conditions::Conditions(const data::Dataset& dataset, const data::Scaler& scaler,
                       std::span<const data::SampleRange> healthy, int64_t window_length) {
    const int64_t length = group_length(window_length);
    int64_t groups = 0;
    for (const data::SampleRange& stretch : healthy) groups += (stretch.end - stretch.begin) / length;
    if (groups < kFewestGroups || length < 2) return;
    const auto channels = std::ssize(dataset.channels);
    low_ = Matrix(kConditions, channels);
    high_ = Matrix(kConditions, channels);
    for (int64_t c = 0; c < channels; ++c) {
        double low[kConditions], high[kConditions];
        int64_t seen[kConditions] = {};  // a switch that hardly ever moves shows little of how it moves
        std::ranges::fill(low, std::numeric_limits<double>::infinity());
        std::ranges::fill(high, -std::numeric_limits<double>::infinity());
        if (!scaler.constant(c))
            for (const data::SampleRange& stretch : healthy)
                for_groups(dataset, scaler, stretch, c, length, [&](const Group& group, int64_t) {
                    for (int64_t k = 0; k < kConditions; ++k) {
                        if (std::isnan(group.of[k])) continue;
                        ++seen[k];
                        low[k] = std::min(low[k], group.of[k]);
                        high[k] = std::max(high[k], group.of[k]);
                    }
                });
        for (int64_t k = 0; k < kConditions; ++k) {
            low_.row(k)[c] = seen[k] >= kFewestGroups ? static_cast<float>(low[k]) : 1.0f;
            high_.row(k)[c] = seen[k] >= kFewestGroups ? static_cast<float>(high[k]) : 0.0f;
        }
    }
}

Conditions::Conditions(const Archive& from, int64_t channels) {
    if (!from.has("low")) return;
    low_ = from.matrix("low");
    high_ = from.matrix("high");
    from.require(
        low_.rows == kConditions && high_.rows == kConditions && low_.columns == channels && high_.columns == channels,
        "one range per condition and channel");
}

void Conditions::save(Archive& to) const {
    if (!known()) return;
    to.put("low", low_);
    to.put("high", high_);
}

std::vector<VoidPromise> Conditions::broken(const data::Dataset& dataset, const data::Scaler& scaler,
                                            std::span<const data::SampleRange> stretches, int64_t window_length) const {
    std::vector<VoidPromise> out;
    if (!known()) return out;
    const int64_t length = group_length(window_length);
    for (const data::SampleRange& stretch : stretches) {
        ConditionsState state;
        const data::Recording& recording = dataset.recordings[stretch.recording];
        for (int64_t begin = stretch.begin; begin + length <= stretch.end && !state.first; begin += length)
            look(state, scaler, {stretch.recording, begin, begin + length},
                 [&](int64_t c) { return recording.channels[c].values().subspan(begin, length); });
        if (!state.first) continue;
        out.push_back(*state.first);
        out.back().since.end = stretch.end;
    }
    return out;
}

void Conditions::look(ConditionsState& state, const data::Scaler& scaler, const data::SampleRange& group, int64_t c,
                      std::span<const float> samples) const {
    const Group found = group_of(samples, scaler.mean[c], scaler.deviation[c]);
    for (int64_t k = 0; k < kConditions; ++k) {
        const auto what = static_cast<Condition>(k);
        const double low = low_.row(k)[c], high = high_.row(k)[c];
        const bool off = is_off(what, found.of[k], low, high);
        uint8_t& before = state.off[static_cast<size_t>(k * low_.columns + c)];
        if (off && before && !state.first) {
            const auto in_unit = [&](double value) {
                return k == 0 ? scaler.mean[c] + value * scaler.deviation[c] : std::exp(value) * scaler.deviation[c];
            };
            const int64_t since = group.begin - (group.end - group.begin);
            state.first = {
                c, what, in_unit(found.of[k]), in_unit(low), in_unit(high), {group.recording, since, group.end}};
        }
        before = off;
    }
}

}  // namespace cmr::score
