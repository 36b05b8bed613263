#pragma once
// Healthy windows scored by models that did not see them: contiguous blocks are left out in turn, together with the
// windows that overlap them. No healthy data are given up, and neighbours cannot help each other.

#include "score/scorers/scorer.h"

namespace cmr::score {

// Rows of the healthy windows that block b of `blocks` holds, in order.
std::vector<int64_t> rows_of_block(int64_t rows, int64_t block, int64_t blocks);

// What some scorers say of some windows.
struct CrossFitted {
    Matrix scores;                   // [windows, kinds]
    std::vector<Matrix> by_channel;  // per kind [windows, effects]; empty where a score has no parts
};

// The healthy windows, then the others: each block judged by scorers fitted on the rest. `others` are further windows,
// row by row made from the healthy ones: they are judged by the same scorers as their row. The network itself saw the
// windows it was trained on; only what is fitted on its embeddings is cross-fitted.
std::vector<CrossFitted> cross_fit(const Healthy& healthy, std::span<const ScorerKind* const> kinds,
                                   std::span<const Features> others = {});

}  // namespace cmr::score
