#include "data/gaps.h"

#include <cmath>

namespace cmr::data {

void fill_gaps(Recording& recording, int64_t max_gap) {
    recording.filled = recording.absent = 0;
    for (Samples& channel : recording.channels) {
        const auto values = channel.values();
        for (const Segment& segment : recording.segments)
            for (int64_t i = segment.begin; i < segment.end; ++i) {
                if (!std::isnan(values[i])) continue;
                int64_t end = i;
                while (end < segment.end && std::isnan(values[end])) ++end;
                const int64_t gap = end - i;
                if (gap <= max_gap && i > segment.begin && end < segment.end) {
                    for (int64_t j = 0; j < gap; ++j) values[i + j] = on_line(values[i - 1], values[end], j, gap);
                    recording.filled += gap;
                } else {
                    recording.absent += gap;
                }
                i = end;
            }
    }
}

float on_line(float before, float after, int64_t index, int64_t gap) {
    return static_cast<float>(before +
                              (double{after} - before) * static_cast<double>(index + 1) / static_cast<double>(gap + 1));
}

}  // namespace cmr::data
