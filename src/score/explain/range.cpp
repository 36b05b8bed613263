#include "score/explain/range.h"

#include <algorithm>
#include <cmath>

namespace cmr::score {

std::vector<int64_t> newly_active_causes(const Detector& detector, const SamplesOf& samples) {
    const data::Scaler& scaler = detector.pipeline.preprocessing().scaler;
    std::vector<int64_t> out;
    for (int64_t c = 0; c < std::ssize(detector.channels); ++c) {
        if (detector.channels[c].effect || !scaler.constant(c) || !detector.pipeline.novelty().never_moved(c)) continue;
        const auto moved = [&](float value) { return !std::isnan(value) && value != scaler.least[c]; };
        if (std::ranges::any_of(samples(c), moved)) out.push_back(c);
    }
    return out;
}

bool outside_range(const Detector& detector, float cause_level, const SamplesOf& samples) {
    if (std::isnan(cause_level)) return false;
    return cause_level > 1 || !newly_active_causes(detector, samples).empty();
}

}  // namespace cmr::score
