#pragma once
// Windows of a dataset as rows of numbers.

#include "base/matrix.h"
#include "data/scaler.h"
#include "data/windows.h"

namespace cmr::data {

// The effect channels, or the causes, that move in healthy training data.
std::vector<int64_t> moving_channels(const Dataset& dataset, const Scaler& scaler, bool effects);

// [windows, channels · length]: the z-scored samples of the first channel, then those of the second, …
Matrix window_matrix(const Dataset& dataset, const Scaler& scaler, const std::vector<int64_t>& channels,
                     const std::vector<Window>& windows, int64_t length);

// The same of all channels, in the plant's own units.
Matrix raw_windows(const Dataset& dataset, const std::vector<Window>& windows, int64_t length);

}  // namespace cmr::data
