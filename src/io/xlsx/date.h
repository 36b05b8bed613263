#pragma once
// Dates in a workbook are numbers of days that a cell format makes a date.

#include <string_view>

namespace cmr::io {

// Does a built-in cell format show dates or times?
bool is_date_format(int id);
// Does a format code, such as `yyyy-mm-dd` or `[Red]0.00 "days"`, show dates or times?
bool is_date_format(std::string_view code);

// Days as a workbook counts them to seconds since 1970.
double seconds_since_1970(double days, bool from_1904);

}  // namespace cmr::io
