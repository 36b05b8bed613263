#include "live/alarm/alarm.h"

#include <algorithm>
#include <array>

#include "io/json_fields.h"

namespace cmr::live {
namespace {

constexpr std::array<std::string_view, 8> kStates = {"normal",  "unacknowledged", "acknowledged", "returned",
                                                     "latched", "stale",          "shelved",      "out of service"};
constexpr std::array<std::string_view, 13> kEvents = {"raise",    "clear",  "acknowledge", "reset", "shelve",
                                                      "unshelve", "remove", "restore",     "stale", "fresh",
                                                      "mark",     "unmark", "learn"};

using enum State;
using When = Transition::When;

constexpr std::array<Transition, 10> kTable = {{
    {kNormal, Event::kRaise, kUnacknowledged},
    {kUnacknowledged, Event::kAcknowledge, kAcknowledged},
    {kUnacknowledged, Event::kClear, kReturned},
    {kAcknowledged, Event::kClear, kNormal, When::kNotLatching},
    {kAcknowledged, Event::kClear, kLatched, When::kLatching},
    {kReturned, Event::kRaise, kUnacknowledged},
    {kReturned, Event::kAcknowledge, kNormal, When::kNotLatching},
    {kReturned, Event::kAcknowledge, kLatched, When::kLatching},
    {kLatched, Event::kRaise, kUnacknowledged},
    {kLatched, Event::kReset, kNormal},
}};

template <typename Enum, size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    return static_cast<Enum>(at - names.begin());
}

// What is laid over the state, or noted beside it. False where it is so already.
bool set_aside(Alarm& alarm, Event event, double until_s) {
    const bool shelved = alarm.shelved_until_s > 0;
    switch (event) {
        case Event::kShelve:
            alarm.shelved_until_s = until_s;
            return until_s > 0;
        case Event::kUnshelve:
            alarm.shelved_until_s = 0;
            return shelved;
        case Event::kRemove:
            return !std::exchange(alarm.out_of_service, true);
        case Event::kRestore:
            return std::exchange(alarm.out_of_service, false);
        case Event::kStale:
            return !std::exchange(alarm.stale, true);
        case Event::kFresh:
            return std::exchange(alarm.stale, false);
        case Event::kMark:
        case Event::kUnmark:
            return alarm.raised_s > 0;  // there was an alarm to speak of
        case Event::kLearn:
            return true;
        default:
            return false;
    }
}

bool follow(Alarm& alarm, Event event, bool latching) {
    for (const Transition& row : kTable)
        if (row.from == alarm.state && row.event == event &&
            (row.when == When::kAlways || (row.when == When::kLatching) == latching)) {
            alarm.state = row.to;
            return true;
        }
    return false;
}

// Nobody hears of what is put aside. When it comes back, people hear of it only where there is something to hear.
bool is_told(const Alarm& before, const Alarm& after, Event event) {
    if (event >= Event::kStale) return false;  // data, marks and models
    if (before.suppressed() && after.suppressed()) return false;
    if (before.suppressed() != after.suppressed()) return after.state != kNormal;
    return true;
}

}  // namespace

std::string_view name(State state) { return kStates[static_cast<size_t>(state)]; }
std::string_view name(Event event) { return kEvents[static_cast<size_t>(event)]; }
std::optional<Event> event_named(std::string_view name) { return named<Event>(kEvents, name); }
std::optional<State> state_named(std::string_view name) { return named<State>(kStates, name); }
std::span<const Transition> transitions() { return kTable; }

State Alarm::shown() const {
    if (out_of_service) return kOutOfService;
    if (shelved_until_s > 0) return kShelved;
    return state == kNormal && stale ? kStale : state;
}

std::optional<Step> advance(Alarm& alarm, Event event, double event_s, const AlarmOptions& options, double until_s) {
    const Alarm before = alarm;
    if (!set_aside(alarm, event, until_s) && !follow(alarm, event, options.latching)) return std::nullopt;
    if (event == Event::kRaise) alarm.raised_s = event_s;
    if (alarm.shown() != before.shown()) alarm.since_s = event_s;
    ++alarm.steps;
    return Step{alarm.steps, event, before.shown(), alarm.shown(), is_told(before, alarm, event)};
}

Steps advance(Alarm& alarm, double window_end_s, std::optional<bool> on, const AlarmOptions& options) {
    Steps steps;
    if (window_end_s <= alarm.applied_s) return steps;
    alarm.applied_s = window_end_s;
    if (alarm.shelved_until_s > 0 && window_end_s >= alarm.shelved_until_s)
        steps.unshelved = advance(alarm, Event::kUnshelve, window_end_s, options);
    if (on && *on != alarm.on())
        steps.alarm = advance(alarm, *on ? Event::kRaise : Event::kClear, window_end_s, options);
    return steps;
}

std::string save(const Alarm& alarm) { return io::to_text(io::to_json(alarm)); }

Alarm load_alarm(const std::string& text, const std::string& source) {
    Alarm alarm;
    io::from_json(text, source, "alarm state", alarm);
    return alarm;
}

}  // namespace cmr::live
