#pragma once
// Spans of time, and rates, as people read them.

#include <string>

namespace cmr {

// "0.25 s", "45 s", "2 min 5 s", "3 h 12 min", "2 d 4 h": at most two units, rounded to the smaller. NaN, infinities
// and what is longer than 1e15 s are "–".
std::string duration_text(double seconds);

// How often samples come: "2000 Hz", "one sample in 1 h". 0 is "unknown rate".
std::string rate_text(double rate_hz);

}  // namespace cmr
