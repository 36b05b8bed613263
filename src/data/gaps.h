#pragma once
// What happens to absent values.

#include "data/recording.h"

namespace cmr::data {

// Fills runs of at most `max_gap` absent samples by straight lines between their neighbours, within a segment; 0 fills
// none. Sets the recording's counts of filled and absent samples.
void fill_gaps(Recording& recording, int64_t max_gap);

// The absent sample number `index` of `gap` in a row, on a straight line between their neighbours.
float on_line(float before, float after, int64_t index, int64_t gap);

}  // namespace cmr::data
