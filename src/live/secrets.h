#pragma once

#include <string>
#include <vector>

namespace cmr::live {

// The first line of a file of secrets, or all of them; empty where no file is named. InputError where it cannot be
// read, is empty, or may be read by everybody.
std::string read_secret(const std::string& file);
std::vector<std::string> read_secrets(const std::string& file);

}  // namespace cmr::live
