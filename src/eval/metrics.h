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

// `strata`: a number per sample; that of a healthy one is not looked at. InputError as its parts.
Metrics compute_metrics(std::span<const double> scores, std::span<const uint8_t> labels,
                        std::span<const int64_t> strata);

}  // namespace cmr::eval
