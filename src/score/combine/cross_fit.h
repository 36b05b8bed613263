#pragma once
// Healthy windows scored by models that did not see them: blocks are left out in turn, together with the windows that
// overlap them. No healthy data are given up, and neighbours cannot help each other. A block is what the test will be:
// whole machines or files where those are tested, so that the spread from one to the next is known; else a stretch of
// time.

#include <functional>

#include "score/scorers/scorer.h"

namespace cmr::score {

// Rows of each block, in order. Stretches of time: `score.blocks` of equal size. Machines or files: each one by itself,
// or neighbours together where there are more than that; where there is only one, stretches of its time.
std::vector<std::vector<int64_t>> blocks_of(const Healthy& healthy);

// All rows but those of a block and those that overlap it.
std::vector<int64_t> rows_outside(const Healthy& healthy, const std::vector<int64_t>& block);

// InputError where so many healthy windows are too few for so many blocks.
void check_blocks(int64_t windows, int64_t blocks);

// What some scorers say of some windows.
struct CrossFitted {
    Matrix scores;                   // [windows, kinds]
    std::vector<Matrix> by_channel;  // per kind [windows, effects]; empty where a score has no parts
};

// Each block judged by scorers fitted on the rest, as far as it is among the rows `fitted` (ascending). The network
// itself saw the windows it was trained on; only what is fitted on its embeddings is cross-fitted. foretell(rows): what
// the network does not foretell of them, where gates are open; it is as large as the samples and is made a block at a
// time.
using Foretell = std::function<Matrix(const std::vector<int64_t>& rows)>;
CrossFitted cross_fit(const Healthy& healthy, const std::vector<int64_t>& fitted,
                      std::span<const ScorerKind* const> kinds, const Foretell& foretell = {},
                      const std::function<void()>& after_block = {});

}  // namespace cmr::score
