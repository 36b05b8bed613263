#pragma once
// What goes on from one window to the next: the slow clock's mean and the alarm. A run over files and a stream walk
// windows by the same steps. A window that could not be judged neither raises nor ends an alarm, and is not on the
// clock.

#include "score/detector.h"

namespace cmr::score {

// All that is needed to go on.
struct CourseState {
    bool started = false;  // there was a window before,
    int64_t begin = 0;     // from this sample on,
    double start_s = 0;    // at this time
    double mean = 0;       // of the slow clock
    AlarmState alarm;
    bool operator==(const CourseState&) const = default;
};

struct CourseStep {
    bool goes_on = false;  // from the window before, without an interruption
    bool judged = false;   // else the numbers are NaN
    float slow = 0, both = 0;
    double p_value = 1, level = 0;
    bool alarm = false, raised = false;  // on; with this window
};

class Course {
  public:
    // Windows every `stride` samples. The detector must outlive it.
    Course(const Detector& detector, int64_t stride);

    // `combined`: NaN of a window that could not be judged.
    CourseStep next(int64_t begin, double start_s, double end_s, float combined);

    double period_s() const { return period_s_; }
    bool alarm() const { return state_.alarm.on; }
    void go_on_from(const CourseState& state) { state_ = state; }
    const CourseState& state() const { return state_; }

  private:
    const Detector& detector_;
    int64_t stride_;
    double period_s_;
    CourseState state_;
};

}  // namespace cmr::score
