#pragma once
// A score file read back.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct ScoreTable {
    std::vector<std::string> names;           // of the scores
    std::vector<std::vector<double>> scores;  // [names][windows]
    std::vector<uint8_t> faulty, alarm;       // per window
    std::vector<std::string> recording, stratum;
    std::vector<double> end_s;
};

// Only windows that the detector was not fitted on: split test or new.
ScoreTable read_scores(const std::filesystem::path& file);

}  // namespace cmr::cli
