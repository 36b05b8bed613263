#pragma once
// Windows with absent samples, so that one sick sensor stops nobody. An effect is replaced, where it is absent, by what
// the linear mechanism on lagged causes makes one expect of it within the window, and the others are judged. Where a
// cause is absent, or every effect, nothing can be judged.

#include <cstdint>
#include <vector>

#include "linear/mechanism.h"
#include "score/features/features.h"

namespace cmr::score {

// What was absent of a window.
struct Absence {
    bool cause = false;
    std::vector<int64_t> effects;  // places among those of the preprocessing
    int64_t all_effects = 0;

    bool any() const { return cause || !effects.empty(); }
    bool unjudged() const { return cause || std::ssize(effects) == all_effects; }
};

// Replaces what is absent (NaN) of z-scored samples, so that all are numbers; one entry per window. Absent causes
// become 0.
std::vector<Absence> fill_absent(const linear::LaggedRidge& mechanism, Features& samples, int64_t length);

}  // namespace cmr::score
