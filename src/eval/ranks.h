#pragma once
// Orders and ranks. The values hold no NaN.

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace cmr::eval {

// Indices from the least value to the greatest; equal values keep their order.
std::vector<int64_t> ascending(std::span<const double> values);

// Indices from the greatest value to the least; equal values keep their order.
std::vector<int64_t> descending(std::span<const double> values);

// Ranks from 1; equal values share the mean of theirs: {5, 7, 7, 9} has {1, 2.5, 2.5, 4}.
std::vector<double> mid_ranks(std::span<const double> values);

// The end of the run of equal values that begins at place `begin` of an order.
inline int64_t end_of_ties(std::span<const double> values, std::span<const int64_t> order, int64_t begin) {
    int64_t end = begin + 1;
    while (end < std::ssize(order) && values[order[end]] == values[order[begin]]) ++end;
    return end;
}

}  // namespace cmr::eval
