// Any text is a time or is none, and a time of our calendar survives being written and read again.

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "io/text/time.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cmr::io;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto of_day = parse_time_of_day(text);
    if (of_day && !(*of_day >= 0 && *of_day < 86'400)) std::abort();
    DateOrderGuess guess("auto");
    guess.observe(text);
    for (const DateOrder order : {DateOrder::kUnknown, DateOrder::kDayFirst, DateOrder::kMonthFirst}) {
        const auto seconds = parse_time(text, order);
        constexpr double kYearZero = -62'167'219'200.0, kYearTenThousand = 253'402'300'800.0;
        if (!seconds || *seconds < kYearZero || *seconds >= kYearTenThousand) continue;
        const auto again = parse_time(format_time(*seconds), order);
        if (!again || std::abs(*again - *seconds) > 1e-4 + 1e-15 * std::abs(*seconds)) std::abort();
    }
    return 0;
}
