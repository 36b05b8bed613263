#pragma once
// Event times as messages write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace cmr::live {

enum class TimeUnit {
    kAny,  // a text is a date; a number is of seconds below 1e11, else of ms below 1e14, else of µs below 1e17, else of
           // ns, which is right for dates from March 1973 to the year 5138
    kSeconds,
    kMilliseconds,
    kMicroseconds,
    kNanoseconds,
    kDate,  // a text; numbers are refused
};

// s, ms, us, ns, iso, or the empty word for `usual`; another is an InputError.
TimeUnit parse_time_unit(std::string_view word, TimeUnit usual);

// As Unix seconds; nothing where the number is not finite or the unit takes none.
std::optional<double> seconds_of(double number, TimeUnit unit);
std::optional<double> seconds_of(int64_t number, TimeUnit unit);

// "2026-03-09T10:14:33.123Z", "2026-03-09 10:14:33+01:00", or without a zone, which is taken as UTC; with another unit
// than kDate also a number in quotes. Nothing where it is none of these.
std::optional<double> seconds_of(std::string_view text, TimeUnit unit);

}  // namespace cmr::live
