#pragma once
// What a step in time between two rows means, in a file and in a stream alike.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "recipe/recipe.h"

namespace cmr::data {

struct TimeStep {
    bool gap = false;     // longer than samples may be apart
    bool cuts = false;    // and longer than the policy fills: what follows is a new segment
    int64_t missing = 0;  // samples that lack between the two
};

inline TimeStep time_step(double step_s, const recipe::Data& data, const recipe::Time& time) {
    const double sample_s = 1.0 / data.rate_hz;
    if (step_s <= (time.max_step_s > 0 ? time.max_step_s : 1.5 * sample_s)) return {};
    const int64_t missing = std::max<int64_t>(std::llround(std::min(step_s / sample_s, 0x1p50)) - 1, 0);
    return {true, data.gaps != "interpolate" || missing > data.max_gap, missing};
}

}  // namespace cmr::data
