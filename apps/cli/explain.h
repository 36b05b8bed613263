#pragma once
// `cmr explain`: which effect stopped following which cause, since when, with evidence.

#include <filesystem>
#include <string>

#include "data_to_score.h"

namespace cmr::cli {

struct ExplainOptions {
    std::filesystem::path model;
    DataOptions data;
    std::string at;         // a time; empty: the first alarm
    std::string recording;  // empty: the one that has the time, or the first with an alarm
    bool json = false;
};

std::string explain(const ExplainOptions& options);

}  // namespace cmr::cli
