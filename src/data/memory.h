#pragma once
// What data and their scores take of memory, known before it is taken.

#include <filesystem>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// Bytes that the samples of a file will take, about: from its size and, of text, the length of its first lines.
int64_t expected_sample_bytes(const fs::path& file, const recipe::Recipe& recipe);

// Bytes.
struct ScoringMemory {
    int64_t program = 32 << 20;
    int64_t samples = 0;  // of the dataset, where they are not on disk
    int64_t batch = 0;    // windows on their way through the detector
    int64_t scores = 0;   // of all windows, and the text that they become

    int64_t total() const { return program + samples + batch + scores; }
};

// Numbers of a window's pooled embedding for each feature of its channels, about.
inline constexpr int64_t kPooledNumbers = 8;

// Windows that go through a detector together: the more, the better threads are used; the fewer, the less memory.
int64_t windows_at_a_time(int64_t channels, int64_t length);

// For the windows of all recordings in use, every `stride` samples (0: as the recipe says). Measured against real runs:
// tests/apps/memory_test.cpp.
ScoringMemory memory_to_score(const Dataset& dataset, const recipe::Recipe& recipe, int64_t stride = 0);

int64_t bytes_in_memory(const Dataset& dataset);  // of its samples

// SystemError where scoring needs more than is free, with the numbers and a way out.
void check_memory_to_score(const Dataset& dataset, const recipe::Recipe& recipe, int64_t stride = 0);

}  // namespace cmr::data
