#include "eval/coverage.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "eval/check.h"
#include "eval/ranks.h"
#include "eval/summary.h"

namespace cmr::eval {
namespace {

void require_pairs(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) throw InputError("{} values against {}, pairs are needed", a.size(), b.size());
    require_finite("values of the first sample", a);
    require_finite("values of the second sample", b);
}

void require_variety(std::string_view what, std::span<const double> values) {
    if (std::ranges::all_of(values, [&](double value) { return value == values[0]; }))
        throw InputError("{}: all {} are {}, two different ones are needed", what, values.size(), values[0]);
}

// How many values were added up to a place; both in O(log n) (Fenwick 1994).
class Tally {
  public:
    explicit Tally(int64_t places) : sums_(places + 1, 0) {}
    void add(int64_t place) {
        for (int64_t i = place + 1; i < std::ssize(sums_); i += i & -i) ++sums_[i];
    }
    int64_t before(int64_t place) const {  // places 0 … place − 1
        int64_t sum = 0;
        for (int64_t i = place; i > 0; i -= i & -i) sum += sums_[i];
        return sum;
    }

  private:
    std::vector<int64_t> sums_;
};

std::vector<double> histogram(std::span<const double> values, double least, double most, int64_t bins) {
    std::vector<double> shares(bins, 0.0);
    for (const double value : values) {
        // Halved, so that the range of huge values stays finite.
        const double place = (0.5 * value - 0.5 * least) / (0.5 * most - 0.5 * least) * static_cast<double>(bins);
        ++shares[std::min(static_cast<int64_t>(place), bins - 1)];  // the greatest value belongs to the last bin
    }
    for (double& share : shares) share /= static_cast<double>(values.size());
    return shares;
}

}  // namespace

double coverage_ratio(std::span<const double> healthy_distances, std::span<const double> faulty_distances) {
    require_finite("healthy distances", healthy_distances);
    require_finite("faulty distances", faulty_distances);
    const double healthy = summarise(healthy_distances).mean;
    if (!(healthy > 0))
        throw InputError("the mean of the healthy distances is {}, more than 0 is needed: are they in the bank?",
                         healthy);
    return summarise(faulty_distances).mean / healthy;
}

double spearman(std::span<const double> a, std::span<const double> b) {
    require_pairs(a, b);
    require_variety("values of the first sample", a);
    require_variety("values of the second sample", b);
    const std::vector<double> ranks_a = mid_ranks(a), ranks_b = mid_ranks(b);
    const double mean = 0.5 * static_cast<double>(a.size() + 1);  // of any mid-ranks
    double aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double x = ranks_a[i] - mean, y = ranks_b[i] - mean;
        aa += x * x, bb += y * y, ab += x * y;
    }
    return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

Monotonicity severity_monotonicity(std::span<const double> severities, std::span<const double> scores) {
    require_pairs(severities, scores);
    require_variety("severities", severities);
    require_variety("scores", scores);
    // Where each sample's score stands among all: ties take the places [first, last).
    const std::vector<int64_t> by_score = ascending(scores);
    std::vector<int64_t> first(scores.size()), last(scores.size());
    for (int64_t begin = 0, end = 0; begin < std::ssize(by_score); begin = end) {
        end = end_of_ties(scores, by_score, begin);
        for (int64_t i = begin; i < end; ++i) first[by_score[i]] = begin, last[by_score[i]] = end;
    }
    Monotonicity out{.spearman = spearman(severities, scores)};
    Tally milder(std::ssize(scores));
    const std::vector<int64_t> by_severity = ascending(severities);
    double concordant = 0;
    for (int64_t begin = 0, end = 0; begin < std::ssize(by_severity); begin = end) {
        end = end_of_ties(severities, by_severity, begin);
        for (int64_t i = begin; i < end; ++i) {
            const int64_t s = by_severity[i];
            concordant += 0.5 * static_cast<double>(milder.before(first[s]) + milder.before(last[s]));
        }
        out.pairs += begin * (end - begin);
        for (int64_t i = begin; i < end; ++i) milder.add(first[by_severity[i]]);
    }
    out.concordant = concordant / static_cast<double>(out.pairs);
    return out;
}

double total_variation(std::span<const double> a, std::span<const double> b, int64_t bins) {
    require_finite("values of the first sample", a);
    require_finite("values of the second sample", b);
    if (bins < 1) throw InputError("a histogram of {} bins, 1 or more are needed", bins);
    const double least = std::min(std::ranges::min(a), std::ranges::min(b));
    const double most = std::max(std::ranges::max(a), std::ranges::max(b));
    if (least == most) return 0;
    const std::vector<double> p = histogram(a, least, most, bins), q = histogram(b, least, most, bins);
    double sum = 0;
    for (int64_t i = 0; i < bins; ++i) sum += std::abs(p[i] - q[i]);
    return 0.5 * sum;
}

}  // namespace cmr::eval
