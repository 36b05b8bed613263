#pragma once
// Rows at uneven times brought to even steps.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// `count` samples at start_s, start_s + 1 / rate_hz, … from values at ascending times. Absent values (NaN) are passed
// over.
//   linear  on the straight line between the value before and the one after, if they are at most max_step_s apart
//   hold    the last value, if it is at most max_step_s old
//   mean    of the values from here to the next sample
// Where there is none the sample is absent. A thousandth of a step is no difference in time.
std::vector<float> resample(std::span<const double> times_s, std::span<const float> values, double start_s,
                            int64_t count, double rate_hz, const recipe::Time& time);

// A recording whose samples are rows at `times_s`: each segment becomes one of even steps from its first row on, every
// sample in the state of the last row.
void resample(Recording& recording, std::span<const double> times_s, const recipe::Time& time, double rate_hz);

}  // namespace cmr::data
