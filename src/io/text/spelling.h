#pragma once
// Texts of a file: as messages show them, and which of them say that there is nothing.

#include <string>
#include <string_view>
#include <vector>

namespace cmr::io {

// In single quotes, without control characters, cut where it becomes long: a hostile file must not write the terminal.
std::string shown(std::string_view text);

// Without blanks around.
std::string_view trimmed(std::string_view text);

// Does a cell without blanks around stand for an absent value? An empty one does, NaN, and those of the recipe.
bool is_missing(std::string_view cell, const std::vector<std::string>& spellings);

}  // namespace cmr::io
