#include "io/number.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace cmr::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool equals_in_any_case(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower,
                              [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// What stands before a number's digits.
bool take_sign(std::string_view& text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    return negative;
}

// Slow and exact, for a number without sign that is known to be well formed. `magnitude` is the power of ten in front
// of which its first digit stands, to tell too large from too small.
double convert(std::string_view text, char point, int64_t magnitude) {
    std::string with_point;
    if (point != '.') {
        with_point = text;
        std::ranges::replace(with_point, point, '.');
        text = with_point;
    }
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
        return magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text, char point) {
    const bool negative = take_sign(text);
    uint64_t mantissa = 0;
    int64_t digits = 0;  // from the first that is not zero
    int64_t fraction_digits = 0;
    bool any = false, in_fraction = false;
    size_t i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == point && !in_fraction) {
            in_fraction = true;
            continue;
        }
        if (!is_digit(text[i])) break;
        any = true;
        fraction_digits += in_fraction;
        if (digits > 0 || text[i] != '0') ++digits;
        if (digits <= 19) mantissa = mantissa * 10 + static_cast<uint64_t>(text[i] - '0');
    }
    if (!any) return std::nullopt;
    int64_t exponent = 0;
    if (i < text.size()) {
        if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
        std::string_view power = text.substr(i + 1);
        const bool negative_power = take_sign(power);
        if (power.empty() || !std::ranges::all_of(power, is_digit)) return std::nullopt;
        for (const char c : power) exponent = std::min<int64_t>(exponent * 10 + (c - '0'), 1'000'000'000'000);
        if (negative_power) exponent = -exponent;
    }
    exponent -= fraction_digits;
    double value = 0;
    if (digits <= 19 && mantissa <= uint64_t{1} << 53 && std::abs(exponent) <= 22) {
        value = static_cast<double>(mantissa);  // exact, as the power is: one rounding only
        value = exponent < 0 ? value / kPowersOfTen[-exponent] : value * kPowersOfTen[exponent];
    } else if (digits > 0) {
        value = convert(text, point, digits + exponent);
    }
    return negative ? -value : value;
}

std::optional<double> parse_not_finite(std::string_view text) {
    const bool negative = take_sign(text);
    if (equals_in_any_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
    if (!equals_in_any_case(text, "inf") && !equals_in_any_case(text, "infinity")) return std::nullopt;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

}  // namespace cmr::io
