#include "live/formats/time_stamp.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "io/text/number.h"
#include "io/text/time.h"

namespace cmr::live {
namespace {

// What a number of this size counts.
TimeUnit unit_by_size(double number) {
    const double size = std::abs(number);
    if (size < 1e11) return TimeUnit::kSeconds;
    if (size < 1e14) return TimeUnit::kMilliseconds;
    return size < 1e17 ? TimeUnit::kMicroseconds : TimeUnit::kNanoseconds;
}

// The divisor is exact, and long double holds every nanosecond of our centuries: the quotient is rounded once, to what
// the same time written in seconds is read as.
double divide(long double number, TimeUnit unit) {
    switch (unit) {
        case TimeUnit::kMilliseconds:
            return static_cast<double>(number / 1e3L);
        case TimeUnit::kMicroseconds:
            return static_cast<double>(number / 1e6L);
        case TimeUnit::kNanoseconds:
            return static_cast<double>(number / 1e9L);
        default:
            return static_cast<double>(number);
    }
}

// +01:00, +0100 or +01 at the end, taken off; in seconds. 0 where there is none.
double take_offset(std::string_view& text) {
    const size_t clock = text.find(':');
    const size_t sign = text.find_last_of("+-");
    if (clock == std::string_view::npos || sign == std::string_view::npos || sign < clock) return 0;
    std::string digits;
    for (const char c : text.substr(sign + 1)) {
        if (c >= '0' && c <= '9')
            digits += c;
        else if (c != ':' || digits.size() != 2)
            return 0;
    }
    if (digits.size() != 2 && digits.size() != 4) return 0;
    const int hours = 10 * (digits[0] - '0') + digits[1] - '0';
    const int minutes = digits.size() == 4 ? 10 * (digits[2] - '0') + digits[3] - '0' : 0;
    if (hours > 18 || minutes > 59) return 0;
    const double seconds = (text[sign] == '-' ? -60.0 : 60.0) * (60 * hours + minutes);
    text = text.substr(0, sign);
    return seconds;
}

}  // namespace

TimeUnit parse_time_unit(std::string_view word, TimeUnit usual) {
    if (word.empty()) return usual;
    if (word == "s") return TimeUnit::kSeconds;
    if (word == "ms") return TimeUnit::kMilliseconds;
    if (word == "us") return TimeUnit::kMicroseconds;
    if (word == "ns") return TimeUnit::kNanoseconds;
    if (word == "iso") return TimeUnit::kDate;
    throw InputError("the time unit is '{}', expected s, ms, us, ns or iso", word);
}

std::optional<double> seconds_of(double number, TimeUnit unit) {
    if (!std::isfinite(number) || unit == TimeUnit::kDate) return std::nullopt;
    return divide(number, unit == TimeUnit::kAny ? unit_by_size(number) : unit);
}

std::optional<double> seconds_of(int64_t number, TimeUnit unit) {
    if (unit == TimeUnit::kDate) return std::nullopt;
    return divide(number, unit == TimeUnit::kAny ? unit_by_size(static_cast<double>(number)) : unit);
}

std::optional<double> seconds_of(std::string_view text, TimeUnit unit) {
    if (const auto number = io::parse_number(text)) return seconds_of(*number, unit);
    const double offset = take_offset(text);
    const auto local = io::parse_time(text, io::DateOrder::kUnknown);
    return local ? std::optional(*local - offset) : std::nullopt;
}

}  // namespace cmr::live
