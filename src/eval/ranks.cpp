#include "eval/ranks.h"

#include <algorithm>
#include <numeric>

namespace cmr::eval {
namespace {

template <typename Before>
std::vector<int64_t> order_by(int64_t count, Before before) {
    std::vector<int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, before);
    return order;
}

}  // namespace

std::vector<int64_t> ascending(std::span<const double> values) {
    return order_by(std::ssize(values), [&](int64_t a, int64_t b) { return values[a] < values[b]; });
}

std::vector<int64_t> descending(std::span<const double> values) {
    return order_by(std::ssize(values), [&](int64_t a, int64_t b) { return values[a] > values[b]; });
}

std::vector<double> mid_ranks(std::span<const double> values) {
    const std::vector<int64_t> order = ascending(values);
    std::vector<double> ranks(values.size());
    for (int64_t begin = 0, end = 0; begin < std::ssize(order); begin = end) {
        end = end_of_ties(values, order, begin);
        for (int64_t i = begin; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(begin + 1 + end);
    }
    return ranks;
}

}  // namespace cmr::eval
