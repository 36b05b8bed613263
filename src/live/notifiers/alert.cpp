#include "live/notifiers/alert.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "live/words.h"

namespace cmr::live {

std::string rfc3339(double unix_s) {
    namespace chrono = std::chrono;
    const chrono::sys_time<chrono::milliseconds> at(
        chrono::milliseconds(static_cast<int64_t>(std::floor(unix_s * 1000))));
    const auto day = chrono::floor<chrono::days>(at);
    const chrono::year_month_day date(day);
    const chrono::hh_mm_ss time(at - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

Alert alert_of(const Entry& entry, const NotifierContext& context) {
    Alert out;
    out.firing = entry.step.to == State::kUnacknowledged || entry.step.to == State::kAcknowledged;
    // Data may be ahead of the clock; an alert must not begin after it ends.
    out.starts_at = rfc3339(std::min(entry.raised_s > 0 ? entry.raised_s : entry.event_s, entry.wall_s));
    if (!out.firing) out.ends_at = rfc3339(entry.wall_s);
    out.labels = {{"alertname", "cmr"}, {"plant", context.plant}, {"asset", entry.asset}};
    out.annotations = {{"summary", headline(entry)},
                       {"description", entry.sentence},
                       {"state", std::string(name(entry.step.to))},
                       {"event", std::string(name(entry.step.event))},
                       {"step", fmt::format("{}", entry.step.number)},
                       {"at", rfc3339(entry.event_s)}};
    if (std::isfinite(entry.level)) out.annotations["level"] = fmt::format("{:.2f}", entry.level);
    if (!entry.verdict.empty()) out.annotations["verdict"] = entry.verdict;
    if (!entry.who.empty()) out.annotations["who"] = entry.who;
    if (!entry.why.empty()) out.annotations["why"] = entry.why;
    return out;
}

}  // namespace cmr::live
