#include "data/fold_ranges.h"

#include <algorithm>

namespace cmr::data {
namespace {

bool overlaps(const std::vector<SampleRange>& ranges, const Window& w, int64_t length) {
    auto after = std::ranges::upper_bound(ranges, SampleRange{w.recording, w.begin + length - 1, INT64_MAX});
    return after != ranges.begin() && (--after)->recording == w.recording && after->end > w.begin;
}

bool holds(const WindowRun& run, const Window& w) {
    if (run.recording != w.recording || w.begin < run.begin) return false;
    if (run.count == 1) return w.begin == run.begin;
    return (w.begin - run.begin) % run.stride == 0 && (w.begin - run.begin) / run.stride < run.count;
}

std::vector<WindowRun> runs_of(std::vector<Window> windows) {
    std::ranges::sort(windows);
    std::vector<WindowRun> out;
    for (const Window& w : windows) {
        if (!out.empty() && out.back().recording == w.recording) {
            WindowRun& run = out.back();
            const int64_t step = w.begin - (run.begin + (run.count - 1) * run.stride);
            if (run.count == 1) run.stride = step;
            if (step == run.stride && step > 0) {
                ++run.count;
                continue;
            }
        }
        out.push_back({w.recording, w.begin, 0, 1});
    }
    return out;
}

}  // namespace

std::string FoldRanges::side(const Window& window, int64_t length) const {
    const auto after = [](const Window& w, const WindowRun& run) {
        return std::pair(w.recording, w.begin) < std::pair(run.recording, run.begin);
    };
    const auto next = std::upper_bound(test.begin(), test.end(), window, after);
    if (next != test.begin() && holds(*std::prev(next), window)) return "test";
    if (overlaps(train, window, length)) return "train";
    return overlaps(validation, window, length) ? "validation" : "other";
}

FoldRanges ranges_of(const Fold& fold, int64_t length) {
    return {covered(fold.train, length), covered(fold.validation, length), runs_of(fold.test)};
}

}  // namespace cmr::data
