#pragma once
// Does the combined score hold the network at all? Where no healthy window is left by which the network could be
// judged, it is made of controls alone, and nobody would see it from its AUROC.

#include "study/outcome.h"
#include "study/table.h"

namespace cmr::study {

// In a sentence, of cmr's fits of an experiment and of its sweeps, where it has none of untrained ones; empty where
// none has a combined score.
std::string combined_words(const Outcome& outcome, const Experiment& e);

// Puts those sentences into the note of a table that shows the combined score.
void say_what_is_combined(const Outcome& outcome, ResultTable& table);

}  // namespace cmr::study
