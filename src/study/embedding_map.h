#pragma once
// A picture of the embeddings: windows in the plane of the first two principal components of the healthy bank.

#include "base/matrix.h"
#include "study/result.h"
#include "study/test_windows.h"

namespace cmr::study {

// bank, windows [windows, features]: one embedding of each. Of each kind (bank, healthy, each stratum of faults) at
// most 400, evenly taken. Nothing where the bank has fewer than two components.
std::vector<MapPoint> embedding_map(const Matrix& bank, const Matrix& windows, const TestWindows& test,
                                    const data::Dataset& dataset);

}  // namespace cmr::study
