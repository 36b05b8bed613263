#pragma once
// How far a fault moves each effect by itself: the total variation between its healthy and its faulty samples. Near 0
// no sensor alone shows the faults; near 1 any threshold does.

#include <span>

#include "data/recording.h"
#include "study/result.h"

namespace cmr::study {

// Of two histograms over the same bins: half the sum of the absolute differences of their shares, 0 for the same and 1
// for disjoint ones. NaN where one is empty.
double total_variation(std::span<const int64_t> a, std::span<const int64_t> b);

// Of every effect: 30 bins over the common range of all its samples that are known to be healthy or faulty. Nothing
// where the data have one kind only.
std::vector<ChannelVariation> marginal_variations(const data::Dataset& dataset);

}  // namespace cmr::study
