#pragma once
// What a person does about an alarm.

#include <string>

#include "live/alarm/alarm.h"

namespace cmr::live {

struct Action {
    std::string asset;
    Event event = Event::kAcknowledge;
    double hours = 0;     // shelve: how long
    double raised_s = 0;  // mark, unmark: the alarm that began then, by the data; 0: the last one
    std::string who, why;
};

// {"asset": …, "event": "acknowledge", "who": …, "why": …, "hours": …, "raised_s": …}. InputError for all else; never a
// crash.
Action parse_action(const std::string& json);

}  // namespace cmr::live
