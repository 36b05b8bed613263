#pragma once
// Texts of a file, as messages show them.

#include <string>
#include <string_view>

namespace cmr::io {

// In single quotes, without control characters, cut where it becomes long: a hostile file must not write the terminal.
std::string shown(std::string_view text);

// Without blanks around.
std::string_view trimmed(std::string_view text);

}  // namespace cmr::io
