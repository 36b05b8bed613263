#pragma once
// k-NN on the embeddings in every way that a cell asks for: each pooling with each metric and each k.

#include "score/features/features.h"
#include "study/plan.h"
#include "study/test_windows.h"

namespace cmr::study {

// The distance of each test window to its nearest in the bank, judged as a score. `poolings`: those of the cell that
// the method has; a k of which the bank has too few windows is left out. `most_numbers`: that a bank keeps.
std::vector<GridResult> embedding_grid(const Cell& cell, const std::vector<std::string>& poolings, int64_t most_numbers,
                                       const score::Features& bank, const score::Features& windows,
                                       const TestWindows& test, const data::Dataset& dataset);

}  // namespace cmr::study
