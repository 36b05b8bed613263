#include "score/health/health.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace cmr::score {
namespace {

enum HealthFact : int64_t { kValue, kStep, kRun, kChanges, kNoise };
constexpr int64_t kHealthFacts = 5;

constexpr int64_t kSpikeLength = 3;   // samples; what the median of seven still sees as a spike
constexpr int64_t kFewestValues = 5;  // that tell a noise
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What a healthy range is moved outwards by on each side, beside its lead: values by half its width, all else by a
// factor. Two: noise that doubles or halves is another sensor's. A half more: every other value held is a wrong rate.
constexpr double kShare = 0.5;
constexpr double kFactor = 2, kTimingFactor = 1.5;
constexpr std::array<double, kHealthFacts> kAllowed = {0, kFactor, kTimingFactor, kTimingFactor, kFactor};

// A statistic of one window, its least and largest; of all but values as logarithms. NaN: it says nothing.
struct Extremes {
    double low = kNone, high = kNone;
};
using Facts = std::array<Extremes, kHealthFacts>;

// Of a distance, which may be 0.
double log_of(double distance) { return std::log(std::max(distance, double{std::numeric_limits<float>::min()})); }

float to_float(double value) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

// Of so many samples that hold so many values one after the other: never 0.
double share_of_changes(size_t values, size_t samples) {
    return (static_cast<double>(values) - 0.5) / static_cast<double>(samples);
}

// Distance of the sample that is farthest from the median of it and its three neighbours on each side.
double farthest_from_neighbours(std::span<const float> samples) {
    const int64_t length = std::ssize(samples);
    double farthest = 0;
    for (int64_t t = 0; t < length; ++t) {
        std::array<float, 2 * kSpikeLength + 1> around;
        const int64_t begin = std::max<int64_t>(0, t - kSpikeLength), end = std::min(length, t + kSpikeLength + 1);
        std::copy(samples.begin() + begin, samples.begin() + end, around.begin());
        const auto middle = around.begin() + (end - begin) / 2;
        std::nth_element(around.begin(), middle, around.begin() + (end - begin));
        farthest = std::max(farthest, std::abs(double{samples[t]} - *middle));
    }
    return farthest;
}

// Of values that differ from the one before, so that held values do not count.
double noise_of(const std::vector<float>& values) {
    if (std::ssize(values) < kFewestValues) return kNone;
    std::vector<double> bends;
    for (size_t i = 2; i < values.size(); ++i)
        bends.push_back(std::abs(double{values[i]} - 2.0 * values[i - 1] + values[i - 2]));
    std::ranges::sort(bends);
    bends.resize(bends.size() - bends.size() / 4);  // a few are steps of the machine
    return std::accumulate(bends.begin(), bends.end(), 0.0) / static_cast<double>(bends.size());
}

Facts facts_of(std::span<const float> samples) {
    std::vector<float> values = {samples.front()};
    int64_t run = 1, longest = 1;
    for (size_t t = 1; t < samples.size(); ++t) {
        run = samples[t] == samples[t - 1] ? run + 1 : 1;
        longest = std::max(longest, run);
        if (run == 1) values.push_back(samples[t]);
    }
    const auto [least, most] = std::ranges::minmax(samples);
    const auto one = [](double value) { return Extremes{value, value}; };
    const double noise = noise_of(values);
    return {Extremes{least, most}, one(log_of(farthest_from_neighbours(samples))),
            one(std::log(static_cast<double>(longest))), one(std::log(share_of_changes(values.size(), samples.size()))),
            one(std::isnan(noise) ? kNone : log_of(noise))};
}

// The two largest of some numbers.
struct Largest {
    double first = -std::numeric_limits<double>::infinity(), second = first;

    void add(double value) {
        second = std::max(second, std::min(first, value));
        first = std::max(first, value);
    }
    // How far the largest is beyond all others: as far may the next be beyond it.
    double lead() const { return std::isfinite(second) ? first - second : 0; }
};

}  // namespace

std::string_view name(Sickness sickness) {
    switch (sickness) {
        case Sickness::kNone:
            return "well";
        case Sickness::kAbsent:
            return "absent";
        case Sickness::kOutsideRange:
            return "outside range";
        case Sickness::kSpike:
            return "spike";
        case Sickness::kFrozen:
            return "frozen";
        case Sickness::kNoiseGone:
            return "noise gone";
        case Sickness::kNoiseRisen:
            return "noise risen";
        case Sickness::kWrongRate:
            return "wrong rate";
    }
    return "";
}

std::string to_text(std::span<const Sickness> sensors, const std::vector<data::Channel>& channels) {
    std::string out;
    for (size_t c = 0; c < sensors.size(); ++c)
        if (sensors[c] != Sickness::kNone)
            out += fmt::format("{}{} {}", out.empty() ? "" : "; ", channels[c].name, name(sensors[c]));
    return out;
}

SensorHealth::SensorHealth(const data::Dataset& dataset, const std::vector<int64_t>& used,
                           const std::vector<data::Window>& healthy, int64_t length, int64_t blocks) {
    const int64_t windows = std::ssize(healthy), channels = std::ssize(dataset.channels);
    if (windows < blocks || length < 2) return;
    low_ = high_ = Matrix(kHealthFacts, channels);
    std::ranges::fill(low_.values, 1.0f);
    parallel_for(std::ssize(used), [&](int64_t place) {
        const int64_t c = used[place];
        std::array<Largest, kHealthFacts> low, high;  // of the blocks; low with its sign turned
        for (int64_t b = 0; b < blocks; ++b) {
            std::array<Largest, kHealthFacts> least, most;  // of the windows of a block
            for (int64_t i = windows * b / blocks; i < windows * (b + 1) / blocks; ++i) {
                const auto samples = dataset.recordings[healthy[i].recording].channels[c].values();
                const Facts facts = facts_of(samples.subspan(healthy[i].begin, length));
                for (int64_t k = 0; k < kHealthFacts; ++k) {
                    if (std::isnan(facts[k].low)) continue;
                    least[k].add(-facts[k].low);
                    most[k].add(facts[k].high);
                }
            }
            for (int64_t k = 0; k < kHealthFacts; ++k) {
                low[k].add(least[k].first);
                high[k].add(most[k].first);
            }
        }
        if (high[kValue].first == -low[kValue].first) {  // it never moved, so nothing is known of how it does
            high_.row(kValue)[c] = std::numeric_limits<float>::max();
            low_.row(kValue)[c] = -high_.row(kValue)[c];
            return;
        }
        for (int64_t k = 0; k < kHealthFacts; ++k) {
            if (!std::isfinite(high[k].first)) continue;
            const double allowed = k == kValue ? kShare * (high[k].first + low[k].first) : std::log(kAllowed[k]);
            low_.row(k)[c] = to_float(-low[k].first - low[k].lead() - allowed);
            high_.row(k)[c] = to_float(high[k].first + high[k].lead() + allowed);
        }
        // One that never stood still for a whole window, nor came near it, is frozen when it does.
        const double whole = std::log(static_cast<double>(length) - 0.5);
        if (high[kRun].first + high[kRun].lead() < whole)
            high_.row(kRun)[c] = std::min(high_.row(kRun)[c], static_cast<float>(whole));
    });
}

SensorHealth::SensorHealth(const Archive& from, int64_t channels) {
    if (from.whole("known", 0, 1) == 0) return;
    low_ = from.matrix("low");
    high_ = from.matrix("high");
    from.require(low_.rows == kHealthFacts && high_.rows == kHealthFacts && low_.columns == channels &&
                     high_.columns == channels,
                 "one range per statistic and channel");
}

void SensorHealth::save(Archive& to) const {
    to.put("known", known() ? 1.0 : 0.0);
    if (!known()) return;
    to.put("low", low_);
    to.put("high", high_);
}

std::vector<Sickness> SensorHealth::judge(const MatrixView& raw) const {
    std::vector<Sickness> out(raw.rows);
    for (int64_t c = 0; c < raw.rows; ++c) out[c] = judge(c, raw.row(c));
    return out;
}

Sickness SensorHealth::judge(int64_t channel, std::span<const float> raw) const {
    const auto knows = [&](HealthFact k) { return low_.row(k)[channel] <= high_.row(k)[channel]; };
    if (known() && !knows(kValue)) return Sickness::kNone;
    if (std::ranges::any_of(raw, [](float value) { return !std::isfinite(value); })) return Sickness::kAbsent;
    if (!known() || raw.size() < 2) return Sickness::kNone;
    const float least = low_.row(kValue)[channel], most = high_.row(kValue)[channel];
    const int64_t length = std::ssize(raw);
    const auto low = std::ranges::count_if(raw, [&](float value) { return value < least; });
    const auto high = std::ranges::count_if(raw, [&](float value) { return value > most; });
    const int64_t outside = low + high;
    if (2 * std::max(low, high) > length) return Sickness::kOutsideRange;
    // Of a spike the others tell how the channel moves.
    std::vector<float> rest(raw.begin(), raw.end());
    if (outside <= kSpikeLength) std::erase_if(rest, [&](float value) { return value < least || value > most; });
    const Facts facts = facts_of(rest);
    const auto above = [&](HealthFact k) { return knows(k) && facts[k].high > high_.row(k)[channel]; };
    const auto below = [&](HealthFact k) { return knows(k) && facts[k].low < low_.row(k)[channel]; };
    // A shorter standstill is a rate.
    if (above(kRun) && facts[kRun].high >= std::log(static_cast<double>(length) / 2)) return Sickness::kFrozen;
    // A switch may stand still for a window: it has no rate, switches to and fro, and when it rattles, that is noise.
    const bool is_switch = low_.row(kChanges)[channel] < std::log(share_of_changes(1, raw.size()));
    if (!is_switch && (above(kChanges) || below(kChanges))) return Sickness::kWrongRate;
    if (above(kNoise)) return Sickness::kNoiseRisen;
    if (outside > kSpikeLength) return low > 0 && high > 0 ? Sickness::kNoiseRisen : Sickness::kOutsideRange;
    if (outside > 0) return Sickness::kSpike;
    if (is_switch) return above(kChanges) ? Sickness::kNoiseRisen : Sickness::kNone;
    if (above(kStep)) return Sickness::kSpike;
    return below(kNoise) ? Sickness::kNoiseGone : Sickness::kNone;
}

}  // namespace cmr::score
