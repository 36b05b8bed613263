#pragma once
// Healthy windows scored by models that did not see them: contiguous blocks are left out in turn, together with the
// windows that overlap them. No healthy data are given up, and neighbours cannot help each other.

#include <functional>

#include "score/scorers/scorer.h"

namespace cmr::score {

// Rows of the healthy windows that block b of `blocks` holds, in order.
std::vector<int64_t> rows_of_block(int64_t rows, int64_t block, int64_t blocks);

// What some scorers say of some windows.
struct CrossFitted {
    Matrix scores;                   // [windows, kinds]
    std::vector<Matrix> by_channel;  // per kind [windows, effects]; empty where a score has no parts
};

// Further windows made from some of the healthy ones: they are judged by the same scorers as their row.
struct Others {
    size_t sets = 0;
    std::vector<int64_t> rows;  // ascending; of which there is one window in each set
    // One set of a block in turn, from the features of all of its rows; `chosen`: which of them are to be made.
    std::function<Features(size_t set, const Features& block, const std::vector<int64_t>& chosen)> make;
};

// The healthy windows, then each set of others, a row for each of theirs: each block judged by scorers fitted on the
// rest. The network itself saw the windows it was trained on; only what is fitted on its embeddings is cross-fitted.
// Others stand in memory for one block and one set at a time.
std::vector<CrossFitted> cross_fit(const Healthy& healthy, std::span<const ScorerKind* const> kinds,
                                   const Others& others = {});

}  // namespace cmr::score
