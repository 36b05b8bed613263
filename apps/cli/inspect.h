#pragma once
// `cmr inspect`: what there is to know about data before anything is learned from them.

#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct InspectOptions {
    std::filesystem::path target;  // a recipe, or a data file
    std::filesystem::path data_root;
    std::vector<std::string> settings;  // KEY=VALUE over the recipe
    bool json = false;
};

std::string inspect(const InspectOptions& options);

}  // namespace cmr::cli
