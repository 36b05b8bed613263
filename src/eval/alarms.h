#pragma once
// What an operator asks: which faults raise an alarm, how late, how often is there an alarm for nothing, and for how
// much of the healthy time is there one?
//
// All is counted on windows, at the times when their scores are there, which are their ends.
//   fault        a run of faulty windows of one recording. A window that holds the onset is its first.
//   found        an alarm begins in a window of the fault. One that was on before has not found it, also where an
//                interruption of the recording lies between: nobody would look again.
//   delay        from the first window of the fault to the one in which the alarm begins; the fault itself began up to
//                one period before
//   false alarm  one that begins in a healthy window, even if it goes on into a fault. Alarms end where a recording is
//                interrupted, as in score/calibrate/alarm.h, so one that comes back is counted again.
//   outside      of the learned range no promise holds: healthy windows there are no healthy time, and an alarm that
//                begins there is counted apart
//   echo         healthy windows in which an alarm goes on that a fault raised, at most as many as it was on in the
//                fault: machine and scores take time to settle. They are in alarm as any other, but not for nothing
// An alarm that never ends finds nothing and is false once; the share of healthy time in alarm shows it for what it is.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eval/runs.h"

namespace cmr::eval {

// Per fault: the first of the alarms that begins in it. Both in order, without overlap among themselves.
std::vector<std::optional<int64_t>> found_by(std::span<const FlaggedRun> faults, std::span<const FlaggedRun> alarms);

// One of each per window, by recording and in order of time.
struct AlarmTrace {
    std::span<const double> end_s;
    std::span<const int64_t> recordings;  // another number in the next one,
    std::span<const int64_t> segments;    // and here also after an interruption
    std::span<const uint8_t> faulty, alarm;
    double period_s = 0;                    // from one window to the next: the time that each stands for
    std::span<const uint8_t> outside = {};  // of the learned range; none at all: no window is
};

// Of one trace, or of several added up.
struct AlarmReport {
    int64_t faults = 0;
    std::vector<double> delays_s;  // of those that were found
    int64_t false_alarms = 0;
    int64_t healthy_windows = 0, healthy_in_alarm = 0, echo_windows = 0;
    double healthy_s = 0;
    // Healthy windows outside the learned range, and alarms that begin there: nothing was promised of them, and they
    // are not among the above.
    int64_t outside_windows = 0, outside_alarms = 0;

    int64_t found() const { return static_cast<int64_t>(delays_s.size()); }
    std::optional<double> median_delay_s() const;         // none where no fault was found
    std::optional<double> false_alarms_per_day() const;   // none without healthy time
    std::optional<double> healthy_time_in_alarm() const;  // share; none without healthy windows
    AlarmReport& operator+=(const AlarmReport& other);
};

// Other than one of each per window: InputError.
AlarmReport count_alarms(const AlarmTrace& trace);

}  // namespace cmr::eval
