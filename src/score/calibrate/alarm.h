#pragma once
// From scores to alarms that an operator can live with: a score must stay high for a while before the alarm begins, and
// fall clearly below the alarm line for a while before it ends.

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace cmr::score {

// A level is score / threshold, so 1 is the alarm line.
struct AlarmRule {
    double on_delay_s = 0;   // the level must stay at or above 1 this long before the alarm begins
    double off_delay_s = 0;  // and below `release` this long before it ends
    double release = 0.9;    // more than 0, at most 1
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, AlarmRule>
void visit_fields(C& c, const Visit& visit) {
    visit("on_delay_s", c.on_delay_s, "seconds at or above the alarm line before an alarm begins");
    visit("off_delay_s", c.off_delay_s, "seconds below `release` before it ends");
    visit("release", c.release, "an alarm ends below this part of the alarm line");
}

void check(const AlarmRule& rule);  // InputError for a negative delay or a release outside (0, 1]

// All that a stream needs to go on after a restart of the program.
struct AlarmState {
    bool on = false;
    bool waiting = false;  // a delay is running,
    double since_s = 0;    // since this time
    bool started = false;  // there was a window before,
    double last_s = 0;     // at this time
    bool operator==(const AlarmState&) const = default;
};

// One window at a time. A delay runs from the first window that calls for a change to the first window, no sooner than
// the delay, up to which all called for it; a microsecond is allowed for rounding. With a delay of 0 that is the same
// window.
//
// After an interruption nothing is known of the time between, so the alarm is off and delays begin anew: reset(), which
// the caller does between recordings, and push() does by itself where a window comes more than `max_step_s` after the
// one before. A fault that is still there then raises the alarm again.
class AlarmLogic {
  public:
    explicit AlarmLogic(const AlarmRule& rule, double max_step_s = std::numeric_limits<double>::infinity(),
                        const AlarmState& state = {});

    // Whether the alarm is on after this window. InputError when the time is not later than the one before, or when
    // the time or the level is not finite; the state is then as before.
    bool push(double time_s, double level);

    bool on() const { return state_.on; }
    void reset() { state_ = {}; }
    const AlarmState& state() const { return state_; }

  private:
    AlarmRule rule_;
    double max_step_s_;
    AlarmState state_;
};

// begin ≤ t < end. It ends at the window that switched it off, or a period after the last one of its segment, or where
// the next segment begins if that is sooner.
struct Episode {
    double begin_s = 0;
    double end_s = 0;
    bool operator==(const Episode&) const = default;
};

struct Alarms {
    std::vector<uint8_t> on;  // per window, as AlarmLogic::push gives it
    std::vector<Episode> episodes;
};

// A whole trace: one time, level and number of its segment per window. Windows with another segment than the one before
// come after an interruption; times rise within a segment. `period_s`: from one window to the next.
Alarms find_alarms(const AlarmRule& rule, std::span<const double> time_s, std::span<const double> level,
                   std::span<const int32_t> segment, double period_s);

}  // namespace cmr::score
