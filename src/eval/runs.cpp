#include "eval/runs.h"

namespace cmr::eval {

std::vector<FlaggedRun> flagged_runs(std::span<const uint8_t> flags) {
    std::vector<FlaggedRun> found;
    for (int64_t i = 0; i < std::ssize(flags); ++i) {
        if (!flags[i]) continue;
        if (found.empty() || found.back().end < i) found.push_back({i, i});
        found.back().end = i + 1;
    }
    return found;
}

}  // namespace cmr::eval
