#pragma once
// A fitted detector, its data → the numbers of a cell.

#include "score/score_run.h"
#include "study/plan.h"

namespace cmr::study {

// Fills what is measured on the test windows of the detector's fold: scores, grid and map. InputError where the test
// windows are of one kind only.
void measure(const Cell& cell, const score::Detector& detector, const data::Dataset& dataset,
             const score::ScoreRun& run, Result& out);

}  // namespace cmr::study
