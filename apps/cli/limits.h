#pragma once
// What the numbers on the command line may be, as recipe/check.h has it for those in recipes.

#include <string>

namespace cmr::cli {

// What is wrong with `text` as the value of a numeric option ("--stride"), and what was wanted; empty: nothing. Every
// numeric option of every verb has its limits.
std::string wrong_number(const std::string& option, bool whole, const std::string& text);

}  // namespace cmr::cli
