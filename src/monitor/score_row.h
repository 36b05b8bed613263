#pragma once
// What a stream says of a window, as a line of a score file: the same bytes as of a file with the same rows.

#include <string>
#include <string_view>

#include "monitor/stream.h"

namespace cmr::monitor {

// With the end of the line, of a window that this stream gave.
std::string to_csv(const JudgedWindow& window, const Stream& stream, std::string_view recording);

}  // namespace cmr::monitor
