#pragma once
// Which samples a fold trains on, validates with and tests, small enough to be kept with a model.

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

struct FoldRanges {
    std::vector<SampleRange> train, validation;  // ascending, without overlap
    std::vector<WindowRun> test;                 // ascending

    // test, train, validation, or other. A window that is tested is on that side, whatever else it overlaps.
    std::string side(const Window& window, int64_t length) const;
    bool operator==(const FoldRanges&) const = default;
};

FoldRanges ranges_of(const Fold& fold, int64_t length);

}  // namespace cmr::data
