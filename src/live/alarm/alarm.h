#pragma once
// The life of an alarm, after ISA-18.2: from the first window above the line to the last word of an operator. It is a
// table (transitions()), the same that docs/live.md shows, and a value: saved, loaded, compared.
//
//   what the machine does      raise, clear: the detector's alarm goes on or off
//   what the data do           stale, fresh: they stop coming, and come again. Neither raises nor clears anything
//   what people do             acknowledge, reset; shelve until, unshelve; remove from service, restore; mark as a
//                              false alarm, unmark; make the model learn. The last three change no state
//
// A shelved alarm and one out of service live on underneath, but nobody is told. Times are event times, those of the
// data: what is replayed gives the same states, whatever the clock on the wall does meanwhile.

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace cmr::live {

enum class State : uint8_t {
    kNormal,
    kUnacknowledged,  // the alarm is on, nobody has said that he knows
    kAcknowledged,    // it is on, somebody has
    kReturned,        // it went off before anybody knew
    kLatched,         // it went off and is known, but must be reset by hand (option `latching`)
    kStale,           // normal when the data stopped coming
    kShelved,         // put aside until a time
    kOutOfService,    // maintenance
};

enum class Event : uint8_t {
    kRaise,
    kClear,
    kAcknowledge,
    kReset,
    kShelve,
    kUnshelve,
    kRemove,
    kRestore,
    kStale,
    kFresh,
    kMark,
    kUnmark,
    kLearn,
};

std::string_view name(State state);  // "unacknowledged", "out of service"
std::string_view name(Event event);  // "raise", "remove"
std::optional<Event> event_named(std::string_view name);
std::optional<State> state_named(std::string_view name);

// A row of the table: in this state this event leads there. All other events leave the state as it is.
struct Transition {
    enum class When : uint8_t { kAlways, kLatching, kNotLatching };
    State from;
    Event event;
    State to;
    When when = When::kAlways;
};

// All of them. Alarms go by advance(); this is for what compares them with docs/live.md.
std::span<const Transition> transitions();

struct Alarm {
    State state = State::kNormal;  // underneath: one of the first five
    bool stale = false;
    bool out_of_service = false;
    double shelved_until_s = 0;  // 0: not shelved
    double since_s = 0;          // of what is shown
    double raised_s = 0;         // of the last raise; 0: never
    int64_t steps = 0;           // taken so far; with the asset's name the key of a step in the ledger
    // Windows up to this end have been taken account of: one that is replayed changes nothing.
    double applied_s = std::numeric_limits<double>::lowest();

    State shown() const;
    bool on() const { return state == State::kUnacknowledged || state == State::kAcknowledged; }
    bool suppressed() const { return out_of_service || shelved_until_s > 0; }
    bool operator==(const Alarm&) const = default;
};

// Visits the name of a state or event as a text.
template <typename Visit, typename Named, typename Enum>
void visit_name(const Visit& visit, const char* field, Enum& value, const Named& named, const char* help) {
    auto text = std::string(name(value));
    visit(field, text, help);
    if constexpr (!std::is_const_v<Enum>) {
        const auto known = named(text);
        if (!known) throw InputError("'{}' is no {} of an alarm", text, field);
        value = *known;
    }
}

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Alarm>
void visit_fields(C& c, const Visit& visit) {
    visit_name(visit, "state", c.state, state_named, "underneath");
    visit("stale", c.stale, "no data");
    visit("out_of_service", c.out_of_service, "maintenance");
    visit("shelved_until_s", c.shelved_until_s, "event time; 0: not shelved");
    visit("since_s", c.since_s, "of what is shown");
    visit("raised_s", c.raised_s, "of the last raise; 0: never");
    visit("steps", c.steps, "taken so far");
    visit("applied_s", c.applied_s, "end of the last window that was taken account of");
}

// What a step did.
struct Step {
    int64_t number = 0;  // 1, 2, … of this alarm
    Event event = Event::kRaise;
    State from = State::kNormal, to = State::kNormal;  // as shown
    bool told = false;                                 // people are to hear of it

    bool operator==(const Step&) const = default;
};

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Step>
void visit_fields(C& c, const Visit& visit) {
    visit("number", c.number, "1, 2, …");
    visit_name(visit, "event", c.event, event_named, "what happened");
    visit_name(visit, "from", c.from, state_named, "shown before");
    visit_name(visit, "to", c.to, state_named, "shown after");
    visit("told", c.told, "people are to hear of it");
}

struct AlarmOptions {
    bool latching = false;
};

// Takes one step, where the table has one. `until_s` is for shelve.
std::optional<Step> advance(Alarm& alarm, Event event, double event_s, const AlarmOptions& options = {},
                            double until_s = 0);

// What a judged window does: ends a shelf that is over, then raises or clears. `on` is empty where the window could not
// be judged. At most two steps; none for a window that was taken account of before.
struct Steps {
    std::optional<Step> unshelved, alarm;
};
Steps advance(Alarm& alarm, double window_end_s, std::optional<bool> on, const AlarmOptions& options = {});

std::string save(const Alarm& alarm);                                  // JSON
Alarm load_alarm(const std::string& text, const std::string& source);  // InputError with `source`

}  // namespace cmr::live
