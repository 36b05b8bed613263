#pragma once
// Numbers that tell whether two things are the same, to be kept with what was made of them. Not for secrets.

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/rng.h"

namespace cmr {

inline uint64_t digest(uint64_t seed, std::string_view text) {
    for (const char c : text) seed = Rng::mix(seed + static_cast<unsigned char>(c));
    return Rng::mix(seed + text.size());
}

inline uint64_t digest(uint64_t seed, std::span<const float> values) {
    // Multiply and add per value, one mixing at the end: quick, and any changed or moved sample shows.
    for (const float value : values) seed = seed * 0x9e3779b97f4a7c15u + std::bit_cast<uint32_t>(value) + 1;
    return Rng::mix(seed + values.size());
}

inline uint64_t digest(uint64_t seed, double value) { return Rng::mix(seed + std::bit_cast<uint64_t>(value)); }

}  // namespace cmr
