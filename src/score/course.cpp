#include "score/course.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cmr::score {

Course::Course(const Detector& detector, int64_t stride)
    : detector_(detector), stride_(stride), period_s_(static_cast<double>(stride) / detector.recipe.data.rate_hz) {}

CourseStep Course::next(int64_t begin, double start_s, double end_s, float combined) {
    const Clocks& clocks = detector_.healthy.clocks;
    CourseStep out;
    out.goes_on = state_.started && data::is_consecutive(begin - state_.begin, start_s - state_.start_s, stride_,
                                                         detector_.recipe.data.rate_hz);
    if (!out.goes_on) {
        state_.mean = clocks.usual();
        state_.alarm = {};
    }
    state_.started = true;
    state_.begin = begin;
    state_.start_s = start_s;
    out.judged = !std::isnan(combined);
    if (out.judged) {
        state_.mean = clocks.next(state_.mean, combined, period_s_);
        out.slow = static_cast<float>(clocks.slow(state_.mean));
        out.both = std::max(combined, out.slow);
        out.p_value = detector_.p_value(out.both);
        out.level = out.both / detector_.threshold();
        AlarmLogic logic(detector_.alarm.rule, std::numeric_limits<double>::infinity(), state_.alarm);
        out.raised = logic.push(end_s, out.level) && !state_.alarm.on;
        state_.alarm = logic.state();
    } else {
        out.slow = out.both = std::numeric_limits<float>::quiet_NaN();
        out.p_value = out.level = out.slow;
    }
    out.alarm = state_.alarm.on;
    return out;
}

}  // namespace cmr::score
