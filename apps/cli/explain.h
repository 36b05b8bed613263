#pragma once
// `cmr explain`: which effect stopped following which cause, since when, with evidence.

#include <filesystem>
#include <string>

namespace cmr::cli {

struct ExplainOptions {
    std::filesystem::path model;
    std::filesystem::path data;       // a file; empty: the data of the model's recipe
    std::filesystem::path data_root;  // of the recipe
    std::string at;                   // a time; empty: the first alarm
    std::string recording;            // empty: the first that has the time
    bool json = false;
};

std::string explain(const ExplainOptions& options);

}  // namespace cmr::cli
