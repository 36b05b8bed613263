#pragma once
// How well scores rank faulty samples above healthy ones. A high score means faulty; labels other than 0 are faulty.
// Infinite scores are values like others. NaN, no samples, or samples of one class only: InputError.

#include <cstdint>
#include <span>
#include <vector>

namespace cmr::eval {

// P(faulty above healthy) + ½ P(equal), over all pairs of a faulty and a healthy sample. By ranks: with R the sum of
// the faulty samples' mid-ranks, F of them and H healthy ones, (R − F(F+1)/2) / (F·H).
double auroc(std::span<const double> scores, std::span<const uint8_t> labels);

struct RocPoint {
    double threshold = 0;  // flagged: score ≥ threshold
    double false_positive_rate = 0;
    double true_positive_rate = 0;
};

// One point per distinct score from the greatest to the least, after a first one at (0, 0) where nothing is flagged
// (its threshold says infinity). The trapezoids below it add up to the AUROC.
std::vector<RocPoint> roc_curve(std::span<const double> scores, std::span<const uint8_t> labels);

// Σ (R_k − R_{k−1}) · P_k over the distinct scores from the greatest to the least: precision P weighted by the step in
// recall R, without interpolation. Equal scores are flagged together.
double average_precision(std::span<const double> scores, std::span<const uint8_t> labels);

struct StratumAuroc {
    int64_t stratum = 0;
    int64_t faulty = 0;  // samples of it
    double auroc = 0;
};

// The faulty samples of one stratum against all healthy ones, for each stratum that has any, in ascending order. The
// stratum of a healthy sample is not looked at.
std::vector<StratumAuroc> auroc_per_stratum(std::span<const double> scores, std::span<const uint8_t> labels,
                                            std::span<const int64_t> strata);

}  // namespace cmr::eval
