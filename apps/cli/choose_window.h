#pragma once
// Which of the scored windows an explanation is about.

#include <string>

#include "score/score_run.h"

namespace cmr::cli {

// The one that ends nearest to the moment `at`: it holds it, or ends at most `period_s` before. Without `at`, of the
// first alarm the window with the highest level, which knows more of a fault than the one that raised the alarm;
// without an alarm, of all. An InputError tells what there is where a moment is not, or is in several recordings.
int64_t choose_window(const score::ScoreRun& run, const data::Dataset& dataset, double period_s, const std::string& at,
                      const std::string& recording);

}  // namespace cmr::cli
