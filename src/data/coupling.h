#pragma once
// How well a linear model of the causes explains each effect, at the same moment, on healthy data.

#include <cstdint>
#include <vector>

#include "data/scaler.h"

namespace cmr::data {

// R² per channel; NaN for causes and for effects that never move.
std::vector<double> linear_r2(const Dataset& dataset, const std::vector<SampleRange>& healthy, const Scaler& scaler);

}  // namespace cmr::data
