#include "eval/runs.h"

#include "base/error.h"

namespace cmr::eval {

std::vector<FlaggedRun> flagged_runs(std::span<const uint8_t> flags, std::span<const int64_t> recordings) {
    if (flags.size() != recordings.size())
        throw InputError("{} samples but {} recording numbers, one per sample is needed", flags.size(),
                         recordings.size());
    std::vector<FlaggedRun> found;
    for (int64_t i = 0; i < std::ssize(flags); ++i) {
        if (!flags[i]) continue;
        const bool goes_on = !found.empty() && found.back().end == i && recordings[i] == recordings[i - 1];
        if (!goes_on) found.push_back({i, i});
        found.back().end = i + 1;
    }
    return found;
}

}  // namespace cmr::eval
