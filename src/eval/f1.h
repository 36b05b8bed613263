#pragma once
// The best F1 that any one threshold would have given. The threshold is chosen with the labels at hand, so this is a
// ceiling, not what a deployed detector reaches. Flagged: score ≥ threshold. High scores mean faulty, labels other than
// 0 are faulty. NaN, no points, or points of one class only: InputError.

#include <cstdint>
#include <span>
#include <vector>

namespace cmr::eval {

struct BestF1 {
    double threshold = 0;
    double precision = 0;
    double recall = 0;
    double f1 = 0;  // 2·precision·recall / (precision + recall)
};

// Over all distinct scores as thresholds; of equally good ones the highest, which flags least.
BestF1 best_f1(std::span<const double> scores, std::span<const uint8_t> labels);

// INFLATED: any flagged point of a true anomaly makes all its points count as found, before F1 is taken point by point.
// Long anomalies are then found by chance: random scores reach high values. Never compare it with the raw F1. The
// points of each recording are in order of time, and an anomaly is of one recording (runs.h).
BestF1 best_f1_point_adjusted(std::span<const double> scores, std::span<const uint8_t> labels,
                              std::span<const int64_t> recordings);

// The score of a point is the greatest of the windows that cover it; window i covers points begins[i] … begins[i] +
// length − 1. A point that no window covers gets −infinity, so it is flagged last of all.
std::vector<double> point_scores(std::span<const double> window_scores, std::span<const int64_t> begins, int64_t length,
                                 int64_t points);

}  // namespace cmr::eval
