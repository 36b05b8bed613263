#pragma once
// What a message, or some lines of a text, held.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "live/source.h"

namespace cmr::live {

struct Decoded {
    std::vector<Reading> readings;
    int64_t ignored = 0;  // texts where a number could stand, and data that name no asset or channel
    int64_t refused = 0;  // lines or rows that could not be read
    std::string why;      // of the first of these: the place, what was found, what was wanted

    void refuse(std::string_view reason) {
        if (refused++ == 0) why = reason;
    }
};

}  // namespace cmr::live
