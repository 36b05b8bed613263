#pragma once
// What data take of memory, known before it is taken.

#include <filesystem>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// Bytes that the samples of a file will take, about: from its size and, of text, the length of its first lines.
int64_t expected_sample_bytes(const fs::path& file, const recipe::Recipe& recipe);

int64_t bytes_in_memory(const Dataset& dataset);  // of its samples

// Windows that are worked on together: the more, the better threads are used; the fewer, the less memory.
int64_t windows_at_a_time(int64_t channels, int64_t length);

// Numbers of a window's pooled embedding for each feature of its channels, about.
inline constexpr int64_t kPooledNumbers = 8;

}  // namespace cmr::data
