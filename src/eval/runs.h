#pragma once
// Runs of flagged samples: the faults of a test, or its alarms.

#include <cstdint>
#include <span>
#include <vector>

namespace cmr::eval {

// Samples begin … end − 1, all of one recording.
struct FlaggedRun {
    int64_t begin = 0;
    int64_t end = 0;
    bool operator==(const FlaggedRun&) const = default;
};

// The longest runs of flagged samples, in order. Flagged is whatever is not 0. `recordings`: a number per sample that
// is another in the next recording; no run goes on there. Other than one number per flag: InputError.
std::vector<FlaggedRun> flagged_runs(std::span<const uint8_t> flags, std::span<const int64_t> recordings);

}  // namespace cmr::eval
