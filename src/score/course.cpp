#include "score/course.h"

#include <algorithm>
#include <limits>

namespace cmr::score {

Course::Course(const Detector& detector, int64_t stride)
    : detector_(detector),
      stride_(stride),
      period_s_(static_cast<double>(stride) / detector.recipe.data.rate_hz) {}

CourseStep Course::next(int64_t begin, double start_s, double end_s, float combined) {
    const Clocks& clocks = detector_.healthy.clocks;
    CourseStep out;
    out.goes_on = state_.started && data::is_consecutive(begin - state_.begin, start_s - state_.start_s, stride_,
                                                         detector_.recipe.data.rate_hz);
    AlarmLogic logic(detector_.alarm.rule, std::numeric_limits<double>::infinity(),
                     out.goes_on ? state_.alarm : AlarmState{});
    state_.mean = clocks.next(out.goes_on ? state_.mean : clocks.usual(), combined, period_s_);
    out.slow = static_cast<float>(clocks.slow(state_.mean));
    out.both = std::max(combined, out.slow);
    out.p_value = detector_.p_value(out.both);
    out.level = out.both / detector_.threshold();
    const bool before = logic.on();
    out.alarm = logic.push(end_s, out.level);
    out.raised = out.alarm && !before;
    state_.alarm = logic.state();
    state_.started = true;
    state_.begin = begin;
    state_.start_s = start_s;
    return out;
}

}  // namespace cmr::score
