#include "base/suggest.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"

namespace cmr {
namespace {

// Optimal string alignment distance, three rows at a time: row[j] compares the first i letters of a with j of b.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        before.swap(above);
        above.swap(row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string> suggest(std::string_view wanted, std::span<const std::string> candidates) {
    const std::string* best = nullptr;
    size_t best_distance = 0;
    for (const std::string& candidate : candidates) {
        const auto [shorter, longer] = std::minmax({wanted.size(), candidate.size()});
        const size_t limit = longer / 2;
        if (longer - shorter > limit) continue;  // cheap, and keeps a name of a megabyte out of the table
        const size_t distance = edit_distance(wanted, candidate);
        if (distance <= limit && (!best || distance < best_distance)) best = &candidate, best_distance = distance;
    }
    return best ? std::optional(*best) : std::nullopt;
}

void refuse_unknown(const char* what, const std::string& name, const std::vector<std::string>& known) {
    const auto hint = suggest(name, known);
    throw InputError("{} \"{}\": expected one of {}{}", what, name, fmt::join(known, ", "),
                     hint ? "; did you mean " + *hint + "?" : "");
}

}  // namespace cmr
