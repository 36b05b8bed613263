#pragma once
// A score file read back: what score_run.h wrote.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/matrix.h"

namespace cmr::score {

struct ScoreTable {
    std::vector<std::string> names;           // of the scores
    std::vector<std::vector<double>> scores;  // [names][windows]
    std::vector<uint8_t> faulty, alarm;       // per window
    std::vector<uint8_t> outside;             // of the learned range; none at all in files of before
    std::vector<std::string> recording, stratum;
    std::vector<double> end_s, p_value, level;
    // Another number where a window does not follow the one before: in another recording, after a step in time, or
    // after windows that are not here.
    std::vector<int64_t> segment;
    double period_s = 0;                // from one window to the next; 0: no window follows another
    std::vector<std::string> channels;  // effects
    Matrix residuals;                   // [windows, channels]

    const std::vector<double>* score(const std::string& name) const;  // null where there is none
};

// Only windows that the detector was not fitted on, split test or new, and that could be judged.
ScoreTable read_scores(const std::filesystem::path& file);

}  // namespace cmr::score
