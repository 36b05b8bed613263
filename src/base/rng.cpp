#include "base/rng.h"

#include <cmath>
#include <numbers>

#include "base/error.h"

namespace cmr {

Rng Rng::split(std::string_view name) const {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return split(hash);
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Rng::normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t Rng::below(uint64_t bound) {
    CMR_ASSERT(bound > 0, "there is no number below 0");
    const uint64_t limit = bound * (UINT64_MAX / bound);
    uint64_t draw = next();
    while (draw >= limit) draw = next();
    return draw % bound;
}

}  // namespace cmr
