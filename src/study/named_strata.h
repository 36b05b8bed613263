#pragma once
// What strata of faults reached, under the names that the dataset gives them.

#include "data/recording.h"
#include "eval/ranking.h"
#include "study/result.h"

namespace cmr::study {

// Without the faults that are of no stratum.
std::vector<StratumResult> named_strata(const std::vector<eval::StratumAuroc>& strata, const data::Dataset& dataset);

}  // namespace cmr::study
