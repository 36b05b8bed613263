#pragma once
// Healthy windows scored by models that did not see them: contiguous blocks are left out in turn, together with the
// windows that overlap them. No healthy data are given up, and neighbours cannot help each other.

#include "score/scorer.h"

namespace cmr::score {

// Rows of the healthy windows that block b of `blocks` holds, in order.
std::vector<int64_t> rows_of_block(int64_t rows, int64_t block, int64_t blocks);

// [windows, kinds]: each block scored by scorers fitted on the rest. The network itself saw the windows it was trained
// on; only what is fitted on its embeddings is cross-fitted.
Matrix cross_fit(const Healthy& healthy, std::span<const ScorerKind* const> kinds);

}  // namespace cmr::score
