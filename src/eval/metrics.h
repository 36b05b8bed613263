#pragma once
// Every number by which one score of one test is told. High scores mean faulty, labels other than 0 are faulty.

#include <cstdint>
#include <span>
#include <vector>

#include "eval/ranking.h"

namespace cmr::eval {

struct Metrics {
    double auroc = 0, average_precision = 0, vus_pr = 0;
    double best_f1 = 0;
    double adjusted_f1 = 0;                    // point-adjusted, which inflates it
    double healthy_mean = 0, faulty_mean = 0;  // of the score itself
    std::vector<StratumAuroc> strata;
};

// `strata`: a number per sample; that of a healthy one is not looked at. `recordings`: a number per sample, another in
// the next recording; VUS-PR and adjusted F1 look at it, the others take all samples as one heap. InputError as its
// parts.
Metrics compute_metrics(std::span<const double> scores, std::span<const uint8_t> labels,
                        std::span<const int64_t> strata, std::span<const int64_t> recordings);

// Of a score that is a distance to a healthy bank: the faulty mean over the healthy one. Near 1: held-out healthy
// samples are as far away as faults, so the bank does not cover what is healthy. NaN where the healthy mean is not
// above 0: those samples are in the bank.
double coverage_ratio(double healthy_mean, double faulty_mean);

}  // namespace cmr::eval
