#pragma once
// Windows of a dataset as rows of numbers.

#include "data/scaler.h"
#include "data/windows.h"
#include "score/matrix.h"

namespace cmr::score {

// The effect channels, or the causes, that move in healthy training data.
std::vector<int64_t> moving_channels(const data::Dataset& dataset, const data::Scaler& scaler, bool effects);

// [windows, channels · length]: the z-scored samples of the first channel, then those of the second, …
Matrix window_matrix(const data::Dataset& dataset, const data::Scaler& scaler, const std::vector<int64_t>& channels,
                     const std::vector<data::Window>& windows, int64_t length);

}  // namespace cmr::score
