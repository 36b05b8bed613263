#pragma once
// What scoring takes of memory, known before it is taken.

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::score {

// Bytes.
struct ScoringMemory {
    int64_t program = 32 << 20;
    int64_t samples = 0;  // of the dataset, where they are not on disk
    int64_t batch = 0;    // windows on their way through the detector
    int64_t scores = 0;   // of all windows, and the text that they become

    int64_t total() const { return program + samples + batch + scores; }
};

// For the windows of all recordings in use, every `stride` samples (0: as the recipe says). Measured against real runs:
// tests/apps/memory_test.cpp.
ScoringMemory memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride = 0);

// SystemError where scoring needs more than is free, with the numbers and a way out.
void check_memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride = 0);

}  // namespace cmr::score
