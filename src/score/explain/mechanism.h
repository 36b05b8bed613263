#pragma once
// What the mechanism makes one expect of an effect: the ridge from the whole window of causes, and what the network
// foretells beyond it; the linear mechanism on lagged causes where `score.only` has left that out.

#include <vector>

#include "score/pipeline.h"

namespace cmr::score {

// An effect in its own unit, for at least a window of samples: windows are laid side by side from the first sample on,
// the last up to the end. NaN where lagged causes would lie before the first sample.
std::vector<float> expected_effect(const Pipeline& pipeline, const data::Dataset& dataset,
                                   const data::SampleRange& samples, int64_t effect);

}  // namespace cmr::score
