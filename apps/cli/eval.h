#pragma once
// `cmr eval`: metrics from scores and labels.

#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct EvalOptions {
    std::vector<std::filesystem::path> scores;  // files that `cmr score` wrote: folds or seeds of one study
    bool json = false;
};

std::string eval(const EvalOptions& options);

}  // namespace cmr::cli
