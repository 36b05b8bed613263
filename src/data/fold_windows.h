#pragma once
// The windows of a fold, small enough to be kept with a model: which it trains on, validates with and tests.

#include <string>
#include <vector>

#include "data/split.h"

namespace cmr::data {

// `count` windows of a recording, `stride` samples apart.
struct WindowRun {
    int32_t recording = 0;
    int64_t begin = 0, stride = 0, count = 0;

    bool operator==(const WindowRun&) const = default;
};

struct FoldWindows {
    std::vector<WindowRun> train, validation, test;  // ascending

    bool operator==(const FoldWindows&) const = default;
};

FoldWindows runs_of(const Fold& fold);
std::vector<Window> windows_of(const std::vector<WindowRun>& runs);  // healthy ones, in order

// On which side of a fold a window is.
class FoldSides {
  public:
    FoldSides(const FoldWindows& fold, int64_t length);

    // test, train, validation, or other. A window that is tested is on that side, whatever else it overlaps; else one
    // that shares a sample with a training window is on theirs.
    std::string side(const Window& window) const;

  private:
    std::vector<WindowRun> test_;
    std::vector<SampleRange> train_, validation_;
    int64_t length_;
};

}  // namespace cmr::data
