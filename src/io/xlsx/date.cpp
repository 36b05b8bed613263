#include "io/xlsx/date.h"

#include <chrono>
#include <cmath>

namespace cmr::io {

bool is_date_format(int id) { return (id >= 14 && id <= 22) || (id >= 45 && id <= 47); }

bool is_date_format(std::string_view code) {
    for (size_t i = 0; i < code.size(); ++i) {
        switch (code[i]) {
            case '"':  // letters to show as they are
                i = code.find('"', i + 1);
                if (i == std::string_view::npos) return false;
                break;
            case '\\':
            case '_':
            case '*':  // the next letter is shown, measured or repeated
                ++i;
                break;
            case '[': {  // a colour, condition or locale; but [h], [mm] and [ss] are elapsed time
                const size_t end = code.find(']', i);
                if (end == std::string_view::npos) return false;
                const std::string_view inside = code.substr(i + 1, end - i - 1);
                if (!inside.empty() && inside.find_first_not_of("hmsHMS") == std::string_view::npos) return true;
                i = end;
                break;
            }
            case 'y':
            case 'Y':
            case 'm':
            case 'M':
            case 'd':
            case 'D':
            case 'h':
            case 'H':
            case 's':
            case 'S':
                return true;
            case 'G':
            case 'g':  // General
                if (code.substr(i + 1).starts_with("eneral")) i += 6;
                break;
            default:
                break;
        }
    }
    return false;
}

double seconds_since_1970(double days, bool from_1904) {
    using namespace std::chrono_literals;
    // Day 60 of the calendar from 1900 is its 29th of February, which did not exist; days before it are one short.
    const std::chrono::sys_days day_0 = from_1904 ? 1904y / 1 / 1 : days < 60 ? 1899y / 12 / 31 : 1899y / 12 / 30;
    // Fractions of a day carry about 10 microseconds; rounded to 100, seconds are whole again.
    return std::round((days + static_cast<double>(day_0.time_since_epoch().count())) * 86400 * 1e4) / 1e4;
}

}  // namespace cmr::io
