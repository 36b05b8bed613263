#include "base/text.h"

#include <fmt/format.h>

namespace cmr {

std::string with_commas(int64_t number) {
    std::string text = std::to_string(number);
    const int64_t first = number < 0 ? 1 : 0;  // digit
    for (auto i = static_cast<int64_t>(text.size()) - 3; i > first; i -= 3) text.insert(static_cast<size_t>(i), 1, ',');
    return text;
}

std::string bytes_text(int64_t bytes) {
    const double megabytes = static_cast<double>(bytes) * 1e-6;
    return megabytes < 999.5 ? fmt::format("{:.0f} MB", megabytes) : fmt::format("{:.1f} GB", megabytes * 1e-3);
}

}  // namespace cmr
