#include "base/duration.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace cmr {
namespace {

std::string in_two_units(int64_t count, int64_t factor, const char* large, const char* small) {
    const std::string whole = fmt::format("{} {}", with_commas(count / factor), large);
    return count % factor == 0 ? whole : fmt::format("{} {} {}", whole, count % factor, small);
}

}  // namespace

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds) || std::abs(seconds) > 1e15) return "–";
    if (seconds < 0) return fmt::format("−{}", duration_text(-seconds));  // U+2212, as wide as the digits
    // Each unit begins where the one before would be rounded up to it: 59.7 s is 1 min.
    if (seconds < 9.95) return fmt::format("{:.2g} s", seconds);
    if (seconds < 59.5) return fmt::format("{} s", std::llround(seconds));
    if (seconds < 3599.5) return in_two_units(std::llround(seconds), 60, "min", "s");
    if (seconds < 86'370) return in_two_units(std::llround(seconds / 60), 60, "h", "min");
    return in_two_units(std::llround(seconds / 3600), 24, "d", "h");
}

std::string rate_text(double rate_hz) {
    if (!(rate_hz > 0)) return "unknown rate";
    if (rate_hz >= 1) return fmt::format("{} Hz", short_number(rate_hz, 6));
    const double period_s = 1 / rate_hz;
    return fmt::format("one sample in {}", period_s < 60 ? short_number(period_s, 4) + " s" : duration_text(period_s));
}

}  // namespace cmr
