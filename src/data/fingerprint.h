#pragma once
// A number that tells whether two datasets are the same, to be kept with what was made of them.

#include <string>

#include "data/recording.h"

namespace cmr::data {

// 16 hexadecimal digits of the channels' names, the recordings' names and every sample.
std::string fingerprint(const Dataset& dataset);

}  // namespace cmr::data
