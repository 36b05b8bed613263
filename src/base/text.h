#pragma once
// Numbers as people read them.

#include <cstdint>
#include <string>

namespace cmr {

// 1,234,567
std::string with_commas(int64_t number);

}  // namespace cmr
