#pragma once
// Where in a TOML file a setting stands.

#include <string>

#include "io/toml/toml.h"

namespace cmr::io {

// The place of a key path such as "data.part[1].role", or of the nearest thing around it.
std::string place_of(TomlNode& tree, const std::string& path);

}  // namespace cmr::io
