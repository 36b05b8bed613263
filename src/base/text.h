#pragma once
// Numbers as people read them.

#include <cstdint>
#include <string>

namespace cmr {

// 1,234,567
std::string with_commas(int64_t number);

// 1.2 GB, 340 MB
std::string bytes_text(int64_t bytes);

}  // namespace cmr
