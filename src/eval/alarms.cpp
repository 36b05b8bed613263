#include "eval/alarms.h"

#include <algorithm>

#include "base/error.h"
#include "eval/summary.h"

namespace cmr::eval {
namespace {

constexpr double kSecondsPerDay = 86'400;

}  // namespace

std::vector<std::optional<int64_t>> found_by(std::span<const FlaggedRun> faults, std::span<const FlaggedRun> alarms) {
    std::vector<std::optional<int64_t>> out;
    for (const FlaggedRun& fault : faults) {
        const auto alarm = std::ranges::lower_bound(alarms, fault.begin, {}, &FlaggedRun::begin);
        const bool found = alarm != alarms.end() && alarm->begin < fault.end;
        out.push_back(found ? std::optional(alarm - alarms.begin()) : std::nullopt);
    }
    return out;
}

std::optional<double> AlarmReport::median_delay_s() const {
    return delays_s.empty() ? std::nullopt : std::optional(median(delays_s));
}

std::optional<double> AlarmReport::false_alarms_per_day() const {
    if (!(healthy_s > 0)) return std::nullopt;
    return static_cast<double>(false_alarms) / (healthy_s / kSecondsPerDay);
}

std::optional<double> AlarmReport::healthy_time_in_alarm() const {
    if (healthy_windows == 0) return std::nullopt;
    return static_cast<double>(healthy_in_alarm) / static_cast<double>(healthy_windows);
}

AlarmReport& AlarmReport::operator+=(const AlarmReport& other) {
    faults += other.faults;
    delays_s.insert(delays_s.end(), other.delays_s.begin(), other.delays_s.end());
    false_alarms += other.false_alarms;
    healthy_windows += other.healthy_windows;
    healthy_in_alarm += other.healthy_in_alarm;
    echo_windows += other.echo_windows;
    healthy_s += other.healthy_s;
    outside_windows += other.outside_windows;
    outside_alarms += other.outside_alarms;
    return *this;
}

AlarmReport count_alarms(const AlarmTrace& trace) {
    const size_t windows = trace.end_s.size();
    for (const size_t others : {trace.recordings.size(), trace.segments.size(), trace.faulty.size(), trace.alarm.size(),
                                trace.outside.empty() ? windows : trace.outside.size()})
        if (others != windows)
            throw InputError("{} windows, and {} of another of their numbers: expected one of each per window", windows,
                             others);
    const std::vector<FlaggedRun> faults = flagged_runs(trace.faulty, trace.recordings);
    const std::vector<FlaggedRun> alarms = flagged_runs(trace.alarm, trace.recordings);
    const auto is_outside = [&](auto window) { return !trace.outside.empty() && trace.outside[window] != 0; };
    AlarmReport out;
    out.faults = std::ssize(faults);
    const auto found = found_by(faults, alarms);
    for (size_t i = 0; i < faults.size(); ++i)
        if (found[i]) out.delays_s.push_back(trace.end_s[alarms[*found[i]].begin] - trace.end_s[faults[i].begin]);
    for (const FlaggedRun& alarm : flagged_runs(trace.alarm, trace.segments)) {
        if (!trace.faulty[alarm.begin]) {
            ++(is_outside(alarm.begin) ? out.outside_alarms : out.false_alarms);
            continue;
        }
        int64_t in_fault = 0, after = 0;
        for (int64_t i = alarm.begin; i < alarm.end; ++i) {
            in_fault += trace.faulty[i] ? 1 : 0;
            after += trace.faulty[i] || is_outside(i) ? 0 : 1;
        }
        out.echo_windows += std::min(in_fault, after);
    }
    for (size_t i = 0; i < windows; ++i) {
        if (trace.faulty[i]) continue;
        if (is_outside(i)) {
            ++out.outside_windows;
            continue;
        }
        ++out.healthy_windows;
        out.healthy_in_alarm += trace.alarm[i] ? 1 : 0;
    }
    out.healthy_s = static_cast<double>(out.healthy_windows) * trace.period_s;
    return out;
}

}  // namespace cmr::eval
