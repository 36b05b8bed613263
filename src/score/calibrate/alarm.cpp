#include "score/calibrate/alarm.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace cmr::score {
namespace {

constexpr double kRounding = 1e-6;  // seconds; a double holds today's date to a quarter of it

void check_delay(const char* name, double delay_s) {
    if (!(delay_s >= 0 && std::isfinite(delay_s)))
        throw InputError("{} = {}: expected seconds, 0 or more", name, delay_s);
}

}  // namespace

void check(const AlarmRule& rule) {
    check_delay("on_delay_s", rule.on_delay_s);
    check_delay("off_delay_s", rule.off_delay_s);
    if (!(rule.release > 0 && rule.release <= 1))
        throw InputError("release = {}: expected more than 0 and at most 1, a part of the alarm line", rule.release);
}

AlarmLogic::AlarmLogic(const AlarmRule& rule, double max_step_s, const AlarmState& state)
    : rule_(rule), max_step_s_(max_step_s), state_(state) {
    check(rule);
    if (!(max_step_s > 0)) throw InputError("longest step between windows of {} s: expected more than 0", max_step_s);
}

bool AlarmLogic::push(double time_s, double level) {
    if (!std::isfinite(time_s)) throw InputError("time of a window: {} s, expected a finite number", time_s);
    if (!std::isfinite(level))
        throw InputError("level of the window at {} s: {}, expected a finite number", time_s, level);
    if (state_.started) {
        if (time_s <= state_.last_s)
            throw InputError("a window at {} s after one at {} s: expected times that rise", time_s, state_.last_s);
        if (time_s - state_.last_s > max_step_s_ + kRounding) reset();
    }
    state_.started = true;
    state_.last_s = time_s;

    const bool change = state_.on ? level < rule_.release : level >= 1;
    const double delay_s = state_.on ? rule_.off_delay_s : rule_.on_delay_s;
    if (change && !state_.waiting) state_.since_s = time_s;
    state_.waiting = change;
    if (change && time_s - state_.since_s >= delay_s - kRounding) {
        state_.on = !state_.on;
        state_.waiting = false;
    }
    return state_.on;
}

Alarms find_alarms(const AlarmRule& rule, std::span<const double> time_s, std::span<const double> level,
                   std::span<const int32_t> segment, double period_s) {
    if (level.size() != time_s.size() || segment.size() != time_s.size())
        throw InputError("{} times, {} levels and {} segments: expected one of each per window", time_s.size(),
                         level.size(), segment.size());
    if (!(period_s > 0 && std::isfinite(period_s)))
        throw InputError("{} s from one window to the next: expected more than 0", period_s);
    AlarmLogic logic(rule);
    Alarms out;
    out.on.reserve(level.size());
    for (size_t i = 0; i < level.size(); ++i) {
        if (i > 0 && segment[i] != segment[i - 1]) logic.reset();
        const bool before = logic.on();
        const bool on = logic.push(time_s[i], level[i]);
        out.on.push_back(on);
        if (on && !before) out.episodes.push_back({time_s[i], time_s[i]});
        if (on || before) {
            const bool more = i + 1 < level.size();
            double end_s = time_s[i];
            if (on && !(more && segment[i + 1] == segment[i])) {
                end_s += period_s;
                if (more && time_s[i + 1] > time_s[i]) end_s = std::min(end_s, time_s[i + 1]);
            }
            out.episodes.back().end_s = end_s;
        }
    }
    return out;
}

}  // namespace cmr::score
