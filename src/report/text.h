#pragma once
// Text and numbers as they enter a page. Whatever comes from data goes through `escape`.

#include <string>
#include <string_view>

namespace cmr::report {

// Markup that is safe to show as it stands. Everything else is a std::string, and is escaped where it is used.
struct Html {
    std::string text;
};

// For text and for attributes in double quotes: & < > " and ' become entities. Bytes that are no UTF-8 and characters
// that XML forbids become U+FFFD, the sign for "not readable".
std::string escape(std::string_view text);

// A length or place in a drawing: at most two digits behind the point, no locale. NaN or infinity is an InternalError.
std::string coordinate(double value);

// A number to read: so many significant digits, without trailing zeros. NaN and infinities are "–".
std::string readable(double value, int digits = 3);

// A number among its like: so many digits behind the point, 0 to 9, or the first that is not 0 where that comes later.
// NaN and infinities are "–".
std::string with_decimals(double value, int decimals);
// As many as tell a thousandth of half this span: 3 for what goes from 0 to 1.
int decimals_for(double span);

// About how wide this is when drawn, in the units of the font size: a browser's font is not known here, so it is taken
// for a wide one.
double text_width(std::string_view text, double font_size);

// The text, or as much of its beginning as fits followed by "…".
std::string shorten(std::string_view text, double font_size, double width);

}  // namespace cmr::report
