#pragma once
// Which fits ended because they had no epoch left, and not because they no longer learned. Methods that were stopped at
// other shares of their way cannot be compared with each other.

#include "study/outcome.h"

namespace cmr::study {

// In a sentence, of some experiments; empty where results of earlier versions do not tell, or nothing was trained.
std::string capped_words(const Outcome& outcome, const std::vector<Experiment>& experiments);

}  // namespace cmr::study
