#include "eval/delay.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "eval/check.h"
#include "eval/runs.h"

namespace cmr::eval {
namespace {

constexpr double kSecondsPerDay = 86'400;
constexpr double kRounding = 0.01;  // of a period, for time stamps that were rounded

void check(const Clock& clock) {
    require_finite("sample times", clock.times);
    if (!(clock.period > 0 && std::isfinite(clock.period)))
        throw InputError("a sample period of {} s, more than 0 is needed", clock.period);
    for (size_t i = 1; i < clock.times.size(); ++i)
        if (clock.times[i] - clock.times[i - 1] < (1 - kRounding) * clock.period)
            throw InputError("sample times: value {} ({} s) is not a period of {} s after {} s", i + 1, clock.times[i],
                             clock.period, clock.times[i - 1]);
}

void check(std::string_view what, std::span<const Interval> intervals) {
    for (size_t i = 0; i < intervals.size(); ++i) {
        const auto [begin, end] = intervals[i];
        if (!(begin < end))
            throw InputError("{} {}: from {} s to {} s, begin before end is needed", what, i + 1, begin, end);
        if (i > 0 && begin < intervals[i - 1].end)
            throw InputError("{} {} begins at {} s, before the end of the one before it at {} s", what, i + 1, begin,
                             intervals[i - 1].end);
    }
}

// The first interval that ends after t.
std::span<const Interval>::iterator first_after(std::span<const Interval> intervals, double t) {
    return std::ranges::upper_bound(intervals, t, {}, &Interval::end);
}

bool holds(std::span<const Interval> intervals, double t) {
    const auto next = first_after(intervals, t);
    return next != intervals.end() && next->begin <= t;
}

// The first interval that shares time with this one, if any.
std::optional<Interval> first_overlap(std::span<const Interval> intervals, const Interval& with) {
    const auto next = first_after(intervals, with.begin);
    if (next == intervals.end() || next->begin >= with.end) return std::nullopt;
    return *next;
}

}  // namespace

std::vector<Interval> alarms_from_flags(const Clock& clock, std::span<const uint8_t> flags, const AlarmRule& rule) {
    check(clock);
    if (flags.size() != clock.times.size())
        throw InputError("{} flags for {} sample times, one flag per time is needed", flags.size(), clock.times.size());
    if (rule.on_count < 1) throw InputError("an alarm after {} samples, 1 or more are needed", rule.on_count);
    if (!(rule.merge_gap >= 0)) throw InputError("alarms merged over {} s, 0 or more are needed", rule.merge_gap);
    std::vector<Interval> alarms;
    for (const FlaggedRun& row : flagged_runs(flags)) {
        if (row.end - row.begin < rule.on_count) continue;
        const double begin = clock.times[row.begin + rule.on_count - 1];
        double end = clock.times[row.end - 1] + clock.period;
        // Rounded up it would reach into the next sample, and into an event that begins there.
        if (row.end < std::ssize(clock.times)) end = std::min(end, clock.times[row.end]);
        if (!alarms.empty() && begin - alarms.back().end <= rule.merge_gap + kRounding * clock.period)
            alarms.back().end = end;
        else
            alarms.push_back({begin, end});
    }
    return alarms;
}

AlarmReport judge_alarms(const Clock& clock, std::span<const Interval> alarms, std::span<const Interval> events) {
    check(clock);
    check("alarm", alarms);
    check("event", events);
    AlarmReport report;
    for (size_t i = 0; i < events.size(); ++i) {
        const auto sample = std::ranges::lower_bound(clock.times, events[i].begin);
        if (sample == clock.times.end() || *sample >= events[i].end)
            throw InputError("event {} ({} s to {} s) holds no sample, so it could not be detected", i + 1,
                             events[i].begin, events[i].end);
        const auto alarm = first_overlap(alarms, events[i]);
        report.delays.push_back(alarm ? std::optional(std::max(0.0, alarm->begin - events[i].begin)) : std::nullopt);
        report.detected += alarm ? 1 : 0;
    }
    for (const Interval& alarm : alarms) report.false_alarms += first_overlap(events, alarm) ? 0 : 1;

    int64_t healthy = 0, in_alarm = 0;
    for (const double t : clock.times) {
        if (holds(events, t)) continue;
        ++healthy;
        in_alarm += holds(alarms, t) ? 1 : 0;
    }
    if (healthy == 0)
        throw InputError("all {} samples lie inside events, healthy ones are needed to count false alarms",
                         clock.times.size());
    report.healthy_days = static_cast<double>(healthy) * clock.period / kSecondsPerDay;
    report.false_alarms_per_day = static_cast<double>(report.false_alarms) / report.healthy_days;
    report.healthy_time_in_alarm = static_cast<double>(in_alarm) / static_cast<double>(healthy);
    return report;
}

}  // namespace cmr::eval
