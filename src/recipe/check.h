#pragma once
// Values that no data and no model could satisfy.

#include <functional>
#include <string>

#include "recipe/recipe.h"

namespace cmr::recipe {

// Throws an InputError for the first impossible value; `place` gives the line of a key path such as "window.stride".
void check(const Recipe& recipe, const std::function<std::string(const std::string& path)>& place);

}  // namespace cmr::recipe
