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
                    const double before = values[i - 1], after = values[end];
                    for (int64_t j = 0; j < gap; ++j)
                        values[i + j] = static_cast<float>(before + (after - before) * static_cast<double>(j + 1) /
                                                                        static_cast<double>(gap + 1));
                    recording.filled += gap;
                } else {
                    recording.absent += gap;
                }
                i = end;
            }
    }
}

}  // namespace cmr::data
