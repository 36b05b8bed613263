#pragma once
// How far each effect channel alone is from its healthy level: the score that needs no model, and the yardstick of how
// well a fault hides.

#include <Eigen/Core>

#include "base/matrix.h"

namespace cmr::score {

// The healthy level of each effect channel, in the units of the samples.
struct Levels {
    Eigen::VectorXd mean, deviation;

    // Of samples that are scaled by themselves.
    static Levels scaled(int64_t channels) {
        return {Eigen::VectorXd::Zero(channels), Eigen::VectorXd::Ones(channels)};
    }
};

// effects: [windows, channels · length], as window_matrix gives it → [windows, channels]:
//   deviation of a channel = | mean over time - mean | / deviation. That of a window is the largest (max_of_rows).
Matrix marginal_deviations(const MatrixView& effects, const Levels& levels);

}  // namespace cmr::score
