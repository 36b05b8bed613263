#pragma once
// "Did you mean …?": the known name most like a mistyped one.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cmr {

// The candidate with the fewest letters to insert, delete, replace or swap with a neighbour; the first of several.
// Nothing when even the best differs in more than half of its letters.
std::optional<std::string> suggest(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace cmr
