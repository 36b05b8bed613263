#pragma once
// Numbers and names as people read them.

#include <cstdint>
#include <string>

namespace cmr {

// 1,234,567
std::string with_commas(int64_t number);

// 0.0123, 12.3, 1,234: so many digits, and all of those before the point. NaN and infinities are "–".
std::string short_number(double value, int digits = 3);

// 1.2 GB, 340 MB
std::string bytes_text(int64_t bytes);

// What a terminal may be sent: control bytes other than line ends and tabs are shown, "\x1b", as are those that UTF-8
// spells with two bytes.
std::string printable(const std::string& text);

}  // namespace cmr
