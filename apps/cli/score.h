#pragma once
// `cmr score`: one row per window: every score, p-value, level and alarm.

#include <filesystem>
#include <string>

#include "data_to_score.h"

namespace cmr::cli {

struct ScoreOptions {
    std::filesystem::path model;
    DataOptions data;
    std::filesystem::path out;  // empty: the rows are the result
    bool json = false;
};

std::string score(const ScoreOptions& options);

}  // namespace cmr::cli
