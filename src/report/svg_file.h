#pragma once
// A figure of a page as a file of its own, for a paper or another page.

#include <optional>
#include <string>

#include "report/text.h"

namespace cmr::report {

// The wide drawing of a chart with its style inside; none where the figure is no chart, but a table.
std::optional<std::string> svg_file(const Html& figure);

}  // namespace cmr::report
