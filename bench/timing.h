#pragma once
// Wall-clock timing for the report: the best of several runs, since on a shared machine noise only ever adds.

#include <algorithm>
#include <chrono>
#include <limits>

namespace cmr::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// After one run to warm up, the best of at least `least` runs and as many as fit in `budget` seconds.
template <typename Work>
double best_seconds(const Work& work, double budget, int least = 3) {
    work();
    double best = std::numeric_limits<double>::infinity();
    const auto begin = Clock::now();
    for (int run = 0; run < least || seconds_since(begin) < budget; ++run) {
        const auto start = Clock::now();
        work();
        best = std::min(best, seconds_since(start));
    }
    return best;
}

}  // namespace cmr::bench
