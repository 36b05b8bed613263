#pragma once
// Runs of consecutive flagged points: the anomalies of a recording, or its alarms.

#include <cstdint>
#include <span>
#include <vector>

namespace cmr::eval {

struct FlaggedRun {
    int64_t begin = 0;
    int64_t end = 0;  // one past the last
    bool operator==(const FlaggedRun&) const = default;
};

// Flagged is whatever is not 0. The points are those of one recording: where two are put one after the other, an
// anomaly that ends the first and one that begins the second become one.
std::vector<FlaggedRun> flagged_runs(std::span<const uint8_t> flags);

}  // namespace cmr::eval
