#pragma once
// What tells one build of the program from another.

#include <string_view>

namespace cmr {

// Release and commit: "0.1.0+9f28e2f", with ".dirty" behind it where a file was changed since that commit; "0.1.0"
// where the source is no git checkout. Its source file is written by cmake/version.cmake at every build.
std::string_view version();

}  // namespace cmr
