#pragma once
// Which windows stand in one stretch of time: alarms and counts of them end where it does.

#include <cmath>

#include "data/windows.h"

namespace cmr::score {

// Is `window` the next one after `before`: `stride` samples later in the same recording, without a step in time?
// Windows that do not overlap may touch where two segments do, and hours lie between them.
inline bool follows(const data::Dataset& dataset, const data::Window& before, const data::Window& window,
                    int64_t stride) {
    if (before.recording != window.recording || window.begin - before.begin != stride) return false;
    const data::Recording& recording = dataset.recordings[window.recording];
    const double step_s = data::time_of(recording, window.begin, dataset.rate_hz) -
                          data::time_of(recording, before.begin, dataset.rate_hz);
    return std::abs(step_s * dataset.rate_hz - static_cast<double>(stride)) < 0.5;
}

}  // namespace cmr::score
