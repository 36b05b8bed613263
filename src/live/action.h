#pragma once
// What a person does about an alarm.

#include <string>

#include "live/alarm/alarm.h"

namespace cmr::live {

struct Action {
    std::string asset;
    Event event = Event::kAcknowledge;
    double hours = 0;  // shelve: how long
    std::string who, why;
};

// {"asset": …, "event": "acknowledge", "who": …, "why": …, "hours": …}. InputError for all else; never a crash.
Action parse_action(const std::string& json);

}  // namespace cmr::live
