#pragma once
// Is a window outside the learned range? Then the detector cannot judge it, and no promise of false alarms holds there.
// Told by its causes alone: they are farther from healthy ones than those are from each other, or one moves that never
// did. A window is told by itself.

#include <functional>

#include "score/detector.h"

namespace cmr::score {

using SamplesOf = std::function<std::span<const float>(int64_t channel)>;  // of one window, each channel of the dataset

// Causes that never moved in the healthy data and do in these samples.
std::vector<int64_t> newly_active_causes(const Detector& detector, const SamplesOf& samples);

// `cause_level`: of Scores; NaN of a window that could not be judged, which is not outside.
bool outside_range(const Detector& detector, float cause_level, const SamplesOf& samples);

}  // namespace cmr::score
