#include "eval/wilcoxon.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "eval/check.h"
#include "eval/ranks.h"

namespace cmr::eval {
namespace {

constexpr int64_t kMostExact = 25;

// P(W ≤ most), W the sum of a random subset of 1 … n.
double exact_tail(int64_t n, int64_t most) {
    std::vector<double> ways(n * (n + 1) / 2 + 1, 0.0);  // subsets by their sum; below 2²⁵, so exact
    ways[0] = 1;
    for (int64_t rank = 1; rank <= n; ++rank)
        for (int64_t sum = std::ssize(ways) - 1; sum >= rank; --sum) ways[sum] += ways[sum - rank];
    double below = 0;
    for (int64_t sum = 0; sum <= most; ++sum) below += ways[sum];
    return std::ldexp(below, -static_cast<int>(n));
}

// Σ (t³ − t) over the groups of equal values; 0 when there are none.
double tie_term(std::span<const double> values) {
    const std::vector<int64_t> order = ascending(values);
    double sum = 0;
    for (int64_t begin = 0, end = 0; begin < std::ssize(order); begin = end) {
        end = end_of_ties(values, order, begin);
        const auto t = static_cast<double>(end - begin);
        sum += t * t * t - t;
    }
    return sum;
}

}  // namespace

SignedRank wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) throw InputError("{} values against {}, pairs are needed", a.size(), b.size());
    require_finite("values of the first method", a);
    require_finite("values of the second method", b);
    std::vector<double> sizes;
    std::vector<bool> a_is_greater;
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;
        sizes.push_back(std::abs(a[i] - b[i]));
        a_is_greater.push_back(a[i] > b[i]);
    }
    if (sizes.empty())
        throw InputError("all {} pairs are equal, at least 1 that differs is needed to tell the methods apart",
                         a.size());

    SignedRank out{.pairs = std::ssize(sizes)};
    const std::vector<double> ranks = mid_ranks(sizes);
    for (size_t i = 0; i < ranks.size(); ++i) (a_is_greater[i] ? out.rank_sum_a : out.rank_sum_b) += ranks[i];
    const double lesser = std::min(out.rank_sum_a, out.rank_sum_b);
    const double ties = tie_term(sizes);
    out.exact = out.pairs <= kMostExact && sizes.size() == a.size() && ties == 0;
    if (out.exact) {
        out.p_value = std::min(1.0, 2 * exact_tail(out.pairs, std::llround(lesser)));
    } else {
        const auto n = static_cast<double>(out.pairs);
        const double deviation = std::sqrt((n * (n + 1) * (2 * n + 1) - 0.5 * ties) / 24);
        const double z = (lesser - 0.25 * n * (n + 1)) / deviation;
        out.p_value = std::erfc(std::abs(z) / std::numbers::sqrt2);
    }
    return out;
}

std::vector<double> holm(std::span<const double> p_values) {
    require_finite("p-values", p_values);
    for (const double p : p_values)
        if (p < 0 || p > 1) throw InputError("a p-value of {}, between 0 and 1 is needed", p);
    std::vector<double> adjusted(p_values.size());
    double greatest = 0;
    auto left = static_cast<double>(p_values.size());
    for (const int64_t i : ascending(p_values)) {
        greatest = std::max(greatest, std::min(1.0, left * p_values[i]));
        adjusted[i] = greatest;
        --left;
    }
    return adjusted;
}

}  // namespace cmr::eval
