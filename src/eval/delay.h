#pragma once
// What an operator asks: which events raise an alarm, how late, and how often is there an alarm for nothing?
// Times are seconds on any one clock. An interval holds begin ≤ t < end. Wrong order, overlap or NaN: InputError.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cmr::eval {

struct Interval {
    double begin = 0;
    double end = 0;
    bool operator==(const Interval&) const = default;
};

// Samples, or windows at the time their score is there (their end). Each stands for `period` seconds from its time; the
// times rise by at least that, and by more over a gap in the recording.
struct Clock {
    std::span<const double> times;
    double period = 1;
};

// From flags to alarms.
//   on    an alarm begins at the `on_count`-th flagged sample in a row, and not sooner
//   off   it ends with the last flagged sample of that row, at time + period, or at the time of the next sample where
//         rounding makes that the earlier
//   merge an alarm that begins no later than `merge_gap` seconds after the end of the one before continues it
// A row of samples does not end at a gap in the recording.
struct AlarmRule {
    int64_t on_count = 1;
    double merge_gap = 0;
};
std::vector<Interval> alarms_from_flags(const Clock& clock, std::span<const uint8_t> flags, const AlarmRule& rule = {});

struct AlarmReport {
    std::vector<std::optional<double>> delays;  // per event, in seconds; none where it was missed
    int64_t detected = 0;                       // events
    int64_t false_alarms = 0;
    double healthy_days = 0;
    double false_alarms_per_day = 0;
    double healthy_time_in_alarm = 0;  // fraction
};

// An event is detected when an alarm overlaps it; its delay is from its begin to the begin of the first such alarm, or
// 0 when that alarm was on already. A false alarm overlaps no event. Healthy samples are those outside all events;
// their periods add up to the healthy days, and `healthy_time_in_alarm` is the fraction of them inside an alarm. Look
// at it too: an alarm that is always on detects everything at once, and none of it counts as false.
//
// Alarms and events are sorted and do not overlap among themselves. An event without a sample could not be detected,
// and a recording without healthy samples has no rate: both are InputErrors. No events or no alarms are fine.
AlarmReport judge_alarms(const Clock& clock, std::span<const Interval> alarms, std::span<const Interval> events);

}  // namespace cmr::eval
