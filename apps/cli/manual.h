#pragma once
// A command as a page of the manual, in the language of man(7).

#include <string>

#include "command.h"

namespace cmr::cli {

// `path`: the words before the command's own name, such as "cmr simulate".
std::string manual_page(const Command& command, const std::string& path);

// "cmr-simulate-water": the name of the page of `cmr simulate water`.
std::string page_name(const Command& command, const std::string& path);

}  // namespace cmr::cli
