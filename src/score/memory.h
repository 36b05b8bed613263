#pragma once
// What scoring takes of memory, known before it is taken.

#include <algorithm>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::score {

// Bytes.
struct ScoringMemory {
    int64_t program = 32 << 20;
    int64_t loading = 0;  // while the model's file is read, before there are data
    int64_t model = 0;    // from then on
    int64_t samples = 0;  // of the dataset, where they are not on disk
    int64_t batch = 0;    // windows on their way through the detector
    int64_t scores = 0;   // of all windows, and the text that they become

    int64_t total() const { return program + std::max(loading, model + samples + batch + scores); }
};

// For the windows of all recordings in use, every `stride` samples (0: as the recipe says), by a model whose file has
// so many bytes. Measured against real runs: tests/apps/memory_test.cpp.
ScoringMemory memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t model_bytes,
                              int64_t stride = 0);

// Of the file of a model that is not fitted yet, about: its network and what else grows with the data.
int64_t expected_model_bytes(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t healthy_windows);

// SystemError where scoring by a model that is there needs more than is free, with the numbers and a way out.
void check_memory_to_score(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t stride = 0);

// Of a sample, as the linear mechanism sees it: all causes now and `score.lags` samples before.
int64_t lagged_inputs(const data::Dataset& dataset, const recipe::Recipe& recipe);
// Bytes of windows of these, one for each thread.
int64_t bytes_of_lagged_windows(const data::Dataset& dataset, const recipe::Recipe& recipe);

}  // namespace cmr::score
