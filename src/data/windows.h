#pragma once
// Windows: runs of consecutive samples that a model sees whole.

#include <cstdint>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

struct Window {
    int32_t recording = 0;
    int64_t begin = 0;  // first sample
    State state = State::kHealthy;
    int32_t stratum = -1;  // of its first faulty sample
    int32_t event = -1;

    auto operator<=>(const Window&) const = default;
};

// Why windows were left out.
struct Dropped {
    int64_t excluded = 0;  // the labels say that some sample is not to be used
    int64_t absent = 0;    // some channel has no value
};

enum class Absent { kDrop, kKeep };

// All windows of a recording in order: they begin every `stride` samples of each segment, and hold no excluded samples,
// nor absent ones unless these are kept.
void cut_windows(const Dataset& dataset, int32_t recording, const recipe::Window& shape, int64_t stride,
                 std::vector<Window>& out, Dropped* dropped = nullptr, Absent absent = Absent::kDrop);

// How many windows are missing where time steps in a recording: those that would begin before the step ends, and end
// after it begins.
int64_t windows_in_gaps(const Recording& recording, double rate_hz, int64_t length, int64_t stride);

// Is `window` the next one after `before`: `stride` samples later in the same recording, without a step in time?
// Windows that do not overlap may touch where two segments do, and hours lie between them.
bool is_consecutive(const Dataset& dataset, const Window& before, const Window& window, int64_t stride);
// The same of two beginnings that are so many samples and seconds apart.
bool is_consecutive(int64_t samples, double seconds, int64_t stride, double rate_hz);

// When a window is over: a sample after its last one.
double end_of(const Dataset& dataset, const Window& window, int64_t length);

// Samples begin … end-1 of a recording.
struct SampleRange {
    int32_t recording = 0;
    int64_t begin = 0;
    int64_t end = 0;

    auto operator<=>(const SampleRange&) const = default;
};

// What the windows cover, each sample once: ascending, without overlap.
std::vector<SampleRange> covered(std::vector<Window> windows, int64_t length);

// Does a window lie whole in one of these ranges, as `covered` gives them?
bool is_inside(const std::vector<SampleRange>& ranges, const Window& window, int64_t length);

}  // namespace cmr::data
