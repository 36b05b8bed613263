#include "study/marginals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cmr::study {
namespace {

constexpr int64_t kBins = 30;

// Samples that are there, each with whether it is faulty.
template <typename Take>
void each_sample(const data::Dataset& dataset, int64_t channel, const Take& take) {
    for (const data::Recording& recording : dataset.recordings) {
        if (dataset.parts[recording.part].role == "unused") continue;
        const std::span<const float> values = recording.channels[channel].values();
        for (const data::Span& span : recording.spans) {
            if (span.state != data::State::kHealthy && span.state != data::State::kFaulty) continue;
            for (const float value : values.subspan(span.begin, span.end - span.begin))
                if (std::isfinite(value)) take(value, span.state == data::State::kFaulty);
        }
    }
}

}  // namespace

double total_variation(std::span<const int64_t> a, std::span<const int64_t> b) {
    double all_a = 0, all_b = 0, sum = 0;
    for (const int64_t count : a) all_a += static_cast<double>(count);
    for (const int64_t count : b) all_b += static_cast<double>(count);
    if (all_a == 0 || all_b == 0) return std::numeric_limits<double>::quiet_NaN();
    for (size_t i = 0; i < a.size(); ++i)
        sum += std::abs(static_cast<double>(a[i]) / all_a - static_cast<double>(b[i]) / all_b);
    return sum / 2;
}

std::vector<ChannelVariation> marginal_variations(const data::Dataset& dataset) {
    std::vector<ChannelVariation> out;
    for (const int64_t channel : dataset.indices(/*effects=*/true)) {
        float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
        each_sample(dataset, channel, [&](float value, bool) {
            low = std::min(low, value);
            high = std::max(high, value);
        });
        std::array<std::array<int64_t, kBins>, 2> counts{};
        const double bins_per_unit = high > low ? kBins / (static_cast<double>(high) - low) : 0;
        each_sample(dataset, channel, [&](float value, bool faulty) {
            const auto bin = static_cast<int64_t>((static_cast<double>(value) - low) * bins_per_unit);
            ++counts[faulty ? 1 : 0][std::min(bin, kBins - 1)];
        });
        const double distance = total_variation(counts[0], counts[1]);
        if (std::isfinite(distance)) out.push_back({dataset.channels[channel].name, distance});
    }
    return out;
}

}  // namespace cmr::study
