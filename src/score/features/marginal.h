#pragma once
// How far each effect channel alone is from its healthy level: the score that needs no model, and the yardstick of how
// well a fault hides.

#include "base/matrix.h"

namespace cmr::score {

// effects: [windows, channels · length], z-scored, as window_matrix gives it → [windows, channels]:
//   deviation of a channel = | mean over time |. The marginal deviation of a window is the largest (max_of_rows).
Matrix marginal_deviations(const MatrixView& effects, int64_t channels);

// The value below which `fraction` of the healthy scores lie; between two of them it is interpolated.
double quantile(std::vector<float> healthy, double fraction);

// An anomalous window whose marginal deviation is below the 95th healthy percentile is stealthy, else blunt.
struct StealthRule {
    double threshold = 0;

    bool stealthy(float marginal_deviation) const { return marginal_deviation < threshold; }
};
StealthRule fit_stealth_rule(const std::vector<float>& healthy_deviations);

}  // namespace cmr::score
