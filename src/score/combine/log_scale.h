#pragma once
// Scores on a common scale: how many healthy deviations the logarithm of one lies above the healthy middle, whatever a
// few healthy windows do.

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/quantile.h"

namespace cmr::score {

// A score of 0 has a logarithm too, and so has one that overflowed.
inline constexpr double kLeastScore = 1e-12, kMostScore = 1e38;
inline double log_of(double score) { return std::log(std::clamp(score, kLeastScore, kMostScore)); }

struct LogScale {
    double median = 0;
    double deviation = 1;  // 1.4826 · median |x - median|: the standard deviation where numbers are normal

    double z(double score) const { return (log_of(score) - median) / deviation; }
};

// As a model file keeps the numbers.
inline LogScale to_float_precision(const LogScale& scale) {
    return {static_cast<float>(scale.median), static_cast<float>(scale.deviation)};
}

// Of the logarithms of scores.
template <typename Values>
LogScale log_scale(const Values& scores) {
    std::vector<double> logs;
    for (const double score : scores) logs.push_back(log_of(score));
    const double median = median_of(logs);
    for (double& value : logs) value = std::abs(value - median);
    return {median, std::max(1.4826 * median_of(std::move(logs)), 1e-6)};
}

// The same with the deviation of the upper side: what 99 % of the numbers stay below is 2.33 deviations, as where they
// are normal. Healthy data often have two modes, such as windows with and without a switching pump; the deviation of
// the usual mode would make every window of the rarer one stand out.
template <typename Values>
LogScale upper_log_scale(const Values& scores) {
    std::vector<double> logs;
    for (const double score : scores) logs.push_back(log_of(score));
    std::ranges::sort(logs);
    const double median = median_of(logs);
    return {median, std::max((quantile_of(logs, 0.99) - median) / 2.326, 1e-6)};
}

// What a score adds to the combined one: nothing while it is usual, about z above that. Beyond 30 deviations more
// hardly makes it more certain.
inline double evidence_of(double z) {
    constexpr double kFarOut = 30;
    if (z > kFarOut) return kFarOut + std::log1p(z - kFarOut);
    return std::log1p(std::exp(z));
}

}  // namespace cmr::score
