#pragma once
// Values of plant.toml that nothing could satisfy.

#include <functional>
#include <string>

#include "live/plant/settings.h"

namespace cmr::live {

// Throws an InputError for the first impossible value; `place` gives the line of a key path such as "rules.stale_s".
void check(const Plant& plant, const std::function<std::string(const std::string& path)>& place);

}  // namespace cmr::live
