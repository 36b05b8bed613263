#pragma once
// Messages on standard error. One that nobody can read any more stops nothing.

#include <fmt/format.h>

#include <string>
#include <utility>

namespace cmr {

// As it is; on a terminal without control bytes but for line ends and tabs (base/text.h), so that the name of a column
// cannot move the cursor.
void say_text(const std::string& text);

template <typename... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    say_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace cmr
