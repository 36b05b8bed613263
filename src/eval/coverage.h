#pragma once
// Whether a score can work at all on a machine: does it know all that is healthy, and does it grow with the damage?
// Empty or non-finite input: InputError.

#include <cstdint>
#include <span>

namespace cmr::eval {

// Mean distance to the bank of faulty samples over that of healthy ones not in it. Near 1: held-out healthy samples are
// as far away as faults, so the bank does not cover what is healthy. A healthy mean that is not above 0: InputError.
double coverage_ratio(std::span<const double> healthy_distances, std::span<const double> faulty_distances);

// Pearson's correlation of the mid-ranks. All values of one side equal: InputError.
double spearman(std::span<const double> a, std::span<const double> b);

struct Monotonicity {
    double spearman = 0;
    double concordant = 0;  // fraction of the pairs below; equal scores count half. 0.5 is chance
    int64_t pairs = 0;      // of samples whose severities differ
};

// Do scores grow with severity? With two severities `concordant` is the AUROC. Needs two different severities and two
// different scores.
Monotonicity severity_monotonicity(std::span<const double> severities, std::span<const double> scores);

// ½ Σ |p − q| over histograms of `bins` equal bins between the least and the greatest of both samples: 0 the same,
// 1 apart. Two samples of n values from one distribution give more than 0, about 0.56·√(bins / n) where it is flat.
double total_variation(std::span<const double> a, std::span<const double> b, int64_t bins);

}  // namespace cmr::eval
