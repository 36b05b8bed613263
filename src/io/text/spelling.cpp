#include "io/text/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text/number.h"

namespace cmr::io {

std::string shown(std::string_view text) {
    constexpr size_t kLongest = 60;
    size_t length = std::min(text.size(), kLongest);
    // A UTF-8 letter is shown whole or not at all.
    while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
    std::string quoted = "'";
    for (const char c : text.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            quoted += fmt::format("\\x{:02x}", byte);
        else
            quoted += c;
    }
    return quoted + (length < text.size() ? "...'" : "'");
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool is_missing(std::string_view cell, const std::vector<std::string>& spellings) {
    if (cell.empty() || std::ranges::find(spellings, cell) != spellings.end()) return true;
    const auto value = parse_not_finite(cell);
    return value && std::isnan(*value);
}

}  // namespace cmr::io
