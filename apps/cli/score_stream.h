#pragma once
// `cmr score MODEL -`, a pipe, or `--follow`: rows are judged as they come, in constant memory.

#include "score.h"

namespace cmr::cli {

// Is it to be read as it comes?
bool is_stream(const ScoreOptions& options);

// Writes each row of the score file when its window is complete; returns what is left to say at the end.
std::string score_stream(const ScoreOptions& options);

}  // namespace cmr::cli
