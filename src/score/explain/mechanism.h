#pragma once
// What the linear mechanism on lagged causes makes one expect of an effect.

#include <vector>

#include "score/pipeline.h"

namespace cmr::score {

// An effect in its own unit, for samples begin … end-1 of a recording; the first few, which lack lagged causes, are
// NaN.
std::vector<float> expected_effect(const Pipeline& pipeline, const data::Dataset& dataset, int32_t recording,
                                   int64_t begin, int64_t end, int64_t effect);

}  // namespace cmr::score
