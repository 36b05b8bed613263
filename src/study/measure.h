#pragma once
// A fitted detector, its data → the numbers of a cell.

#include "score/score_run.h"
#include "study/plan.h"

namespace cmr::study {

// Scores all windows, and fills what is measured on the test windows of the detector's fold: scores, grid and map.
// InputError where the test windows are of one kind only.
score::ScoreRun measure(const Cell& cell, const score::Detector& detector, const data::Dataset& dataset, Result& out);

}  // namespace cmr::study
