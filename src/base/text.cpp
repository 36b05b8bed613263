#include "base/text.h"

#include <fmt/format.h>

#include <cmath>

namespace cmr {

std::string with_commas(int64_t number) {
    std::string text = std::to_string(number);
    const int64_t first = number < 0 ? 1 : 0;  // digit
    for (auto i = static_cast<int64_t>(text.size()) - 3; i > first; i -= 3) text.insert(static_cast<size_t>(i), 1, ',');
    return text;
}

std::string short_number(double value, int digits) {
    if (!std::isfinite(value)) return "–";
    const double size = std::abs(value);
    const bool has_more_digits = size >= std::pow(10.0, digits) - 0.5;  // 999.5 is rounded to 1,000
    if (has_more_digits && size < 1e15) return with_commas(std::llround(value));
    return fmt::format("{:.{}g}", value, digits);
}

std::string bytes_text(int64_t bytes) {
    const double megabytes = static_cast<double>(bytes) * 1e-6;
    return megabytes < 999.5 ? fmt::format("{:.0f} MB", megabytes) : fmt::format("{:.1f} GB", megabytes * 1e-3);
}

std::string printable(const std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
        if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
            out += fmt::format("\\x{:02x}", next);
            ++i;
        } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace cmr
