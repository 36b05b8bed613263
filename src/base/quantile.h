#pragma once
// Robust places of numbers: always one of them, never between two, so that the unit of a step or a score stays what it
// is. Results are told by eval/summary.h, which interpolates as NumPy does.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cmr {

// The middle one, of an even number the upper of two. At least one value.
template <typename Number>
Number median_of(std::vector<Number> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The value below which this share of the sorted numbers lies. At least one value.
template <typename Values>
auto quantile_of(const Values& sorted, double share) {
    return sorted[static_cast<size_t>(share * static_cast<double>(std::size(sorted) - 1))];
}

}  // namespace cmr
