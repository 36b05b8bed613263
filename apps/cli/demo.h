#pragma once
// `cmr demo`: the whole product on a simulated water plant, and a page that shows it.

#include <filesystem>
#include <string>

namespace cmr::cli {

struct DemoOptions {
    std::filesystem::path out = "cmr-demo";  // folder for data, model, scores and page
    int64_t seed = 1;                        // of the plant
    bool json = false;
};

std::string demo(const DemoOptions& options);

}  // namespace cmr::cli
