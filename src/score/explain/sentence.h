#pragma once
// What was found, in words.

#include <string>

#include "score/explain/explain.h"

namespace cmr::score {

// When, and in which file, where it has a name.
std::string time_text(const data::Recording& recording, double seconds);

// `onset`: as time_text says it; `coupled`: share of an effect that causes must foretell to count as its causes.
std::string sentence(const Explanation& e, const std::string& onset, double coupled);

}  // namespace cmr::score
