#pragma once
// The middle of some numbers and how far they lie from it, whatever a few of them do.

#include <algorithm>
#include <cmath>
#include <vector>

namespace cmr::score {

inline double median_of(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

struct LogScale {
    double median = 0;
    double deviation = 1;  // 1.4826 · median |x - median|: the standard deviation where numbers are normal
};

// A score of 0 has a logarithm too, and so has one that overflowed.
inline constexpr double kLeastScore = 1e-12, kMostScore = 1e38;
inline double log_of(double score) { return std::log(std::clamp(score, kLeastScore, kMostScore)); }

// Of the logarithms of scores.
template <typename Values>
LogScale log_scale(const Values& scores) {
    std::vector<double> logs;
    for (const double score : scores) logs.push_back(log_of(score));
    const double median = median_of(logs);
    for (double& value : logs) value = std::abs(value - median);
    return {median, std::max(1.4826 * median_of(std::move(logs)), 1e-6)};
}

}  // namespace cmr::score
