#pragma once
// Volume under the precision-recall surface (Paparrizos et al., PVLDB 15(11), 2022): average precision for anomalies
// whose ends are not known to the point. Around each anomaly a buffer ℓ softens the labels; the mean over ℓ = 0 … max
// is the volume. No threshold and no single ℓ has to be chosen.
//
// For one buffer ℓ (points), with h = ⌊ℓ/2⌋:
//   w(t)       1 inside an anomaly; √(1 − d/ℓ) at d = 1 … h points outside its first or last point. Where the slopes of
//              two anomalies meet they add up, to at most 1.
//   ranges     the maximal runs of points with w > 0, so anomalies whose slopes meet or touch become one range
//              anomalies, slopes and ranges end with their recording (runs.h)
//   at a threshold θ, with the points of score ≥ θ flagged:
//   TP         Σ w(t) over the flagged points
//   precision  TP / number of flagged points
//   existence  fraction of the ranges that hold a flagged point
//   recall     min(1, TP / P) · existence, with P = (number of anomalous points + Σ w(t)) / 2
//   range-AUC-PR(ℓ) = Σ (recall_k − recall_{k−1}) · precision_k over the distinct scores from the greatest to the least
//
// With ℓ = 0 and one anomaly that is the average precision. Public implementations take 250 thresholds and differ from
// each other in slopes and in P, so the last digits differ from theirs.
//
// The points of each recording are in order of time; thresholds, precision and recall are those of all points together.
// NaN, no points, points of one class only, or a negative buffer: InputError. Cost: one sort, then one pass over the
// points per buffer.

#include <cstdint>
#include <span>
#include <vector>

namespace cmr::eval {

double range_auc_pr(std::span<const double> scores, std::span<const uint8_t> labels,
                    std::span<const int64_t> recordings, int64_t buffer);

struct VusPr {
    double volume = 0;                 // the mean of the below
    std::vector<double> range_auc_pr;  // by buffer, 0 … max_buffer
};

VusPr vus_pr(std::span<const double> scores, std::span<const uint8_t> labels, std::span<const int64_t> recordings,
             int64_t max_buffer);

}  // namespace cmr::eval
