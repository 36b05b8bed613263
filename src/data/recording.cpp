#include "data/recording.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::data {

std::string_view name(State state) {
    switch (state) {
        case State::kHealthy:
            return "healthy";
        case State::kFaulty:
            return "faulty";
        case State::kExcluded:
            return "excluded";
        case State::kUnknown:
            return "unknown";
    }
    return "";
}

std::vector<int64_t> Dataset::indices(bool effects) const {
    std::vector<int64_t> out;
    for (size_t i = 0; i < channels.size(); ++i)
        if (channels[i].effect == effects) out.push_back(static_cast<int64_t>(i));
    return out;
}

double time_of(const Recording& recording, int64_t sample, double rate_hz) {
    const auto after = std::ranges::upper_bound(recording.segments, sample, {}, &Segment::begin);
    CMR_ASSERT(after != recording.segments.begin(), "segments cover a recording from its first sample");
    const Segment& segment = *(after - 1);
    return segment.start_s + static_cast<double>(sample - segment.begin) / rate_hz;
}

}  // namespace cmr::data
