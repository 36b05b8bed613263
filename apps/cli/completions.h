#pragma once
// What a shell offers at the key Tab: verbs where a verb is due, options after a dash, files elsewhere.

#include <string>

#include "command.h"

namespace cmr::cli {

std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

}  // namespace cmr::cli
