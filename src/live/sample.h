#pragma once
// A reading by numbers instead of names, as journal and assets take it.

#include <cstdint>
#include <string>
#include <vector>

namespace cmr::live {

struct Sample {
    int32_t asset = 0;    // in Names
    int32_t channel = 0;  // of the asset's model
    double time_s = 0;
    float value = 0;

    bool operator==(const Sample&) const = default;
};

struct Names {
    std::vector<std::string> assets;
    std::vector<std::vector<std::string>> channels;  // of each asset
};

}  // namespace cmr::live
