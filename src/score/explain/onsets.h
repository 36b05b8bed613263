#pragma once
// Where trouble began, when several effects left their relation one after the other.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace cmr::score {

inline constexpr double kAlsoOff = 3.0;  // residual from which on an effect counts as off

struct EffectOnset {
    int64_t effect = 0;
    double onset_s = 0;  // end of the first window that shows it
};

// residuals: [windows, effects], in order of time, NaN where there is none: how odd what the lagged mechanism leaves of
// each effect is by level or spread, in healthy deviations (ChannelRanges). The level counts because a valve that
// switches leaves much for a moment in healthy windows too, and a lasting loss little at a time. end_s: of each window.
// An effect has left its relation when what its residuals exceed kAlsoOff by sums up to as much again, by Page's rule
// (the sum falls with what they lack, not below 0); it left where that sum began. So one odd window is no onset, and
// one whose sum is back at 0 has come back. Only some effects count: those that have a coupling which can break. The
// earliest comes first. A window sees a large change sooner than a small one, so onsets within `unsure_s`, the length
// of a window, of the earliest do not tell: of those the one first that drives the others more than they drive it.
// drives: DynamicRidge::drives(), or empty.
std::vector<EffectOnset> onsets(const MatrixView& residuals, std::span<const int64_t> effects,
                                std::span<const double> end_s, double unsure_s, const Eigen::MatrixXd& drives);

}  // namespace cmr::score
