#pragma once
// The voices of a detector joined in other ways than its own, see rules.h: how good each would have been.

#include "study/result.h"
#include "study/test_windows.h"

namespace cmr::study {

// One result per rule. The rules know the healthy windows by the detector's scores of them, which were cross-fitted.
std::vector<RuleResult> tried_rules(const score::Detector& detector, const score::ScoreRun& run,
                                    const TestWindows& test);

}  // namespace cmr::study
