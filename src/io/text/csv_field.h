#pragma once

#include <string>

namespace cmr::io {

// A text as a field of a CSV file that is written: in quotes where it holds a separator, a quote or a line's end.
std::string csv_field(const std::string& text);

}  // namespace cmr::io
