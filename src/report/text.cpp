#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"
#include "base/text.h"

namespace cmr::report {
namespace {

constexpr std::string_view kUnreadable = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kMinus = "\xE2\x88\x92";       // U+2212, as wide as the digits
constexpr std::string_view kNothing = "\xE2\x80\x93";     // an en dash
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Character {
    char32_t code = 0;
    size_t bytes = 1;
    bool valid = false;
};

// The character that begins at `begin`. Overlong forms, halves of surrogate pairs and what XML forbids are not valid.
Character character_at(std::string_view text, size_t begin) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(begin);
    if (first < 0x80) return {first, 1, first >= 0x20 || first == '\t' || first == '\n' || first == '\r'};
    const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || begin + bytes > text.size()) return {};
    char32_t code = first & (0x7Fu >> bytes);
    for (size_t i = begin + 1; i < begin + bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3Fu);
    }
    constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
    const bool control = code < 0xA0, not_a_character = (code & 0xFFFE) == 0xFFFE;
    return {code, bytes, !control && !not_a_character};
}

// Of a font size. East Asian characters are as wide as they are high.
double width_of(char32_t code) {
    if (code >= 0x1100) return code < 0x2000 || code >= 0x2E80 ? 1.0 : 0.62;
    if (code == ' ' || code == '.' || code == ',' || code == ':' || code == '|' || code == 'i' || code == 'l')
        return 0.35;
    return code >= 'A' && code <= 'Z' ? 0.7 : 0.62;
}

void trim_zeros(std::string& number) {
    if (number.find('.') == std::string::npos) return;
    while (number.back() == '0') number.pop_back();
    if (number.back() == '.') number.pop_back();
}

}  // namespace

std::string escape(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        if (!c.valid)
            out += kUnreadable;
        else if (c.code == '&')
            out += "&amp;";
        else if (c.code == '<')
            out += "&lt;";
        else if (c.code == '>')
            out += "&gt;";
        else if (c.code == '"')
            out += "&quot;";
        else if (c.code == '\'')
            out += "&#39;";
        else
            out += text.substr(i, c.bytes);
        i += c.bytes;
    }
    return out;
}

std::string coordinate(double value) {
    CMR_ASSERT(std::isfinite(value), "a drawing holds finite places only");
    std::string text = fmt::format("{:.2f}", value);
    trim_zeros(text);
    return text == "-0" ? "0" : text;
}

std::string readable(double value, int digits) {
    if (!std::isfinite(value)) return std::string(kNothing);
    if (value == 0) return "0";
    // Rounding first: 9.996 with three digits is 10, which has one digit more before the point.
    const std::string rounded = fmt::format("{:.{}e}", std::abs(value), digits - 1);
    const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
    std::string text;
    if (exponent < -4 || exponent > 9) {
        text = rounded.substr(0, rounded.find('e'));
        trim_zeros(text);
        text += fmt::format("e{}", exponent);
    } else if (exponent >= std::max(4, digits - 1)) {
        const double unit = std::pow(10.0, std::max(0, exponent - digits + 1));
        text = with_commas(std::llround(std::abs(value) / unit) * static_cast<int64_t>(unit));
    } else {
        text = fmt::format("{:.{}f}", std::abs(value), std::max(0, digits - 1 - exponent));
        trim_zeros(text);
    }
    return value < 0 ? std::string(kMinus) + text : text;
}

std::string with_decimals(double value, int decimals) {
    if (!std::isfinite(value)) return std::string(kNothing);
    if (std::abs(value) >= 1e9) return readable(value);
    decimals = std::clamp(decimals, 0, 9);
    if (value != 0 && std::abs(value) < std::pow(10.0, -decimals)) return readable(value, 1);
    const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
    return value < 0 ? std::string(kMinus) + text : text;
}

int decimals_for(double span) {
    if (!std::isfinite(span) || span <= 0) return 3;
    return std::clamp(static_cast<int>(3 - std::ceil(std::log10(span / 2) - 1e-9)), 0, 9);
}

double text_width(std::string_view text, double font_size) {
    double width = 0;
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        width += c.valid ? width_of(c.code) : 1.0;
        i += c.bytes;
    }
    return width * font_size;
}

std::string shorten(std::string_view text, double font_size, double width) {
    if (text_width(text, font_size) <= width) return std::string(text);
    double left = width - text_width(kEllipsis, font_size);
    size_t end = 0;
    while (end < text.size()) {
        const Character c = character_at(text, end);
        left -= (c.valid ? width_of(c.code) : 1.0) * font_size;
        if (left < 0) break;
        end += c.bytes;
    }
    return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

}  // namespace cmr::report
