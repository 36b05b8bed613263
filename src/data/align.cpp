#include "data/align.h"

#include <cmath>
#include <utility>

#include "base/error.h"

namespace cmr::data {

Ratio ratio_of(double given_hz, double wanted_hz) {
    // Continued fractions, until the rest is rounding.
    const double ratio = given_hz / wanted_hz;
    int64_t before_given = 0, before_wanted = 1, given = 1, wanted = 0;
    for (double rest = ratio;;) {
        const auto whole = static_cast<int64_t>(std::floor(rest));
        const int64_t next_given = whole * given + before_given, next_wanted = whole * wanted + before_wanted;
        before_given = std::exchange(given, next_given);
        before_wanted = std::exchange(wanted, next_wanted);
        const double found = static_cast<double>(given) / static_cast<double>(wanted);
        if (std::abs(found - ratio) <= 1e-9 * ratio || wanted > 1'000'000) return {given, wanted};
        rest = 1 / (rest - static_cast<double>(whole));
    }
}

std::vector<float> align(std::span<const float> samples, int64_t count, const std::string& how) {
    return align(samples, count, {static_cast<int64_t>(samples.size()), count}, how);
}

std::vector<float> align(std::span<const float> samples, int64_t count, Ratio ratio, const std::string& how) {
    const auto given = static_cast<int64_t>(samples.size());
    CMR_ASSERT(given > 0 && count > 0, "nothing to align");
    const Alignment alignment(ratio, how);
    std::vector<float> out(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
        out[i] = alignment.sample(
            i, [&](int64_t j) { return samples[j]; }, given);
    return out;
}

}  // namespace cmr::data
