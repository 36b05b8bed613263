#pragma once
// Is a promise of false alarms kept? Calibrated on the healthy windows that the detector knows, at the smallest rate
// that they support, and counted on the healthy time of the test.
//
//   kept      no more false alarms than the upper end of the printed interval makes likely (97.5 %)
//   broken    more. A false alarm that lasts counts as often as usual ones would fill its time: one that never ends is
//             not a single one, nor is one that a fault raised and that does not end with it (eval/alarms.h: echo)
//   void      nothing is left of the healthy time of the test but what sensors make void, see calibrate/conditions.h;
//             what is void never counts, nor what is outside the learned range
//   refused   the healthy windows support no rate
//   too short not even one false alarm is to be expected in the healthy time of the test

#include "score/score_run.h"
#include "study/result.h"

namespace cmr::study {

PromiseResult promise_of(const score::Detector& detector, const data::Dataset& dataset, const score::ScoreRun& run);

}  // namespace cmr::study
