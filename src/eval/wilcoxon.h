#pragma once
// Is one method better than another over the same folds? Wilcoxon's signed-rank test, and Holm's correction when
// several such questions are asked at once. Empty or non-finite input: InputError.

#include <cstdint>
#include <span>
#include <vector>

namespace cmr::eval {

struct SignedRank {
    int64_t pairs = 0;      // that differ
    double rank_sum_a = 0;  // of the pairs where a is greater
    double rank_sum_b = 0;  // of the pairs where b is greater
    double p_value = 1;     // two-sided
    bool exact = false;
};

// Pairs a[i], b[i]. Those without a difference are left out (SciPy's zero_method "wilcox"); the others are ranked by
// |a − b|, equal ones sharing the mean rank. T is the lesser rank sum, n the pairs that differ.
//   exact       n ≤ 25, no pair left out, no equal |a − b|: p = min(1, 2·P(W ≤ T)), all 2ⁿ signs being equally likely
//   otherwise   p = 2·Φ(−|z|), z = (T − n(n+1)/4) / σ, σ² = (n(n+1)(2n+1) − ½ Σ (t³ − t)) / 24, with t the sizes of the
//               groups of equal |a − b|; no continuity correction. Rough below n = 10.
// Differences are taken in floating point, so those equal on paper may differ in the last bit. No pair that differs:
// InputError.
SignedRank wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b);

// p-values adjusted for m questions, in the order given: with p₁ ≤ … ≤ p_m, the i-th becomes
// max over j ≤ i of min(1, (m − j + 1)·p_j). A value outside 0 … 1: InputError.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace cmr::eval
