#pragma once
// Which healthy windows the network has not seen. It knows the windows it was trained on, so what is scored with it is
// too good there: gates are opened and parts are put on a scale by the others, and its scores of the former are moved
// to where those of the latter lie.

#include "score/scorers/scorer.h"

namespace cmr::score {

// Rows of `windows` that lie in what validation covers; none where that is too little time to judge by.
std::vector<int64_t> unseen_rows(const std::vector<data::Window>& windows, const data::Fold& fold, int64_t length);

// Gives each learned score of the other rows the median and the deviation that it has, in logarithms, on `unseen`.
// Without such rows nothing is moved.
void move_seen(Matrix& scores, std::span<const ScorerKind* const> kinds, const std::vector<int64_t>& unseen);

}  // namespace cmr::score
