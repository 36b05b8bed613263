#pragma once
// Channels that no column holds, made from those that do.

#include "data/channels.h"

namespace cmr::data {

// What is to be read for these channels: a column each, two for a difference.
std::vector<SourceChannel> columns_of(const std::vector<SourceChannel>& channels);

// Turns what columns_of() asked for into the channels, segment by segment:
//   difference   the first column less the second
//   derivative   change per second since the sample before; the first sample of a segment has that of the second
//   integral     over seconds from the beginning of the segment, by trapezoids
// What is made from an absent value is absent: a derivative at two samples, an integral to the end of the segment.
void make_channels(Recording& recording, const std::vector<SourceChannel>& channels, double rate_hz);

}  // namespace cmr::data
