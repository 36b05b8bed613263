#pragma once
// "Did you mean …?": the known name most like a mistyped one.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cmr {

// The candidate with the fewest letters to insert, delete, replace or swap with a neighbour; the first of several.
// Nothing when even the best differs in more than half of its letters.
std::optional<std::string> suggest(std::string_view wanted, std::span<const std::string> candidates);

// Throws InputError: `what` is none of these.
[[noreturn]] void refuse_unknown(const char* what, const std::string& name, const std::vector<std::string>& known);

// The row of a table that has this `name`; InputError if there is none.
template <typename Rows>
const auto& row_named(const Rows& rows, const char* what, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& row : rows) {
        if (row.name == name) return row;
        known.emplace_back(row.name);
    }
    refuse_unknown(what, name, known);
}

}  // namespace cmr
