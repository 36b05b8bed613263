#pragma once
// `cmr score`: one row per window: every score, p-value, level and alarm.

#include <filesystem>
#include <string>

namespace cmr::cli {

struct ScoreOptions {
    std::filesystem::path model;
    std::filesystem::path data;       // a file; empty: the data of the model's recipe
    std::filesystem::path data_root;  // of the recipe
    std::filesystem::path out;        // empty: the rows are the result
    int64_t stride = 0;               // 0: the recipe's
    bool json = false;
};

std::string score(const ScoreOptions& options);

}  // namespace cmr::cli
