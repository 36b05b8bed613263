#pragma once
// Channels of different rates brought to one.

#include <span>
#include <string>
#include <vector>

namespace cmr::data {

// `count` samples at the new rate over the same stretch of time. mean: of the samples that fall into each new one;
// pick: the sample at its beginning; hold: the last sample before it; linear: between neighbours. auto: mean downwards,
// hold upwards. An absent sample makes absent whatever is made from it.
std::vector<float> align(std::span<const float> samples, int64_t count, const std::string& how);

}  // namespace cmr::data
