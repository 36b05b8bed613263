#pragma once
// The figures of a run's report, each from the results of one experiment. None where the run has no numbers for it.

#include <optional>

#include "report/page.h"
#include "score/file/score_file.h"
#include "study/join.h"
#include "study/outcome.h"

namespace cmr::study::figures {

using report::Figure;

std::optional<Figure> leaderboard(const Outcome& outcome, const Experiment& e);
std::optional<Figure> folds(const Outcome& outcome, const Experiment& e);
std::optional<Figure> coverage(const Outcome& outcome, const Experiment& e);
std::optional<Figure> stealth(const Outcome& outcome, const Experiment& e);
std::optional<Figure> grid(const Outcome& outcome, const Experiment& e);
std::vector<Figure> axes(const Outcome& outcome, const Experiment& e);
std::optional<Figure> map(const Outcome& outcome, const Experiment& e);
std::optional<Figure> time_and_memory(const Outcome& outcome, const Experiment& e);

// From the score files of the first seed and fold.
std::optional<Figure> roc(const Outcome& outcome, const Runs& runs, const Experiment& e);
std::vector<Figure> distributions(const Experiment& e, const score::ScoreTable& scores, const std::string& main_score);
std::optional<Figure> timeline(const Experiment& e, const score::ScoreTable& scores, const std::string& main_score);
std::optional<Figure> residuals(const Experiment& e, const score::ScoreTable& scores);

}  // namespace cmr::study::figures
