#pragma once
// What happens to absent values.

#include "data/recording.h"

namespace cmr::data {

// Fills runs of at most `max_gap` absent samples by straight lines between their neighbours, within a segment; 0 fills
// none. Sets the recording's counts of filled and absent samples.
void fill_gaps(Recording& recording, int64_t max_gap);

}  // namespace cmr::data
