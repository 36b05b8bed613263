#pragma once
// `cmr score`: one row per window: every score, p-value, level and alarm. Of files; score_stream.h has what comes.

#include <filesystem>
#include <string>

#include "data_to_score.h"

namespace cmr::cli {

struct ScoreOptions {
    std::filesystem::path model;
    DataOptions data;
    std::filesystem::path out;  // empty: the rows are the result
    bool json = false;
    bool follow = false;    // go on with a file that grows
    bool timing = false;    // of files: say where the time went
    double lateness_s = 0;  // of rows that are judged as they come
};

std::string score(const ScoreOptions& options);

}  // namespace cmr::cli
