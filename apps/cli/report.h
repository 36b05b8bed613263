#pragma once
// `cmr report`: the run of a study as a page and tables.

#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct ReportOptions {
    std::vector<std::filesystem::path> runs;  // one, or two with `compare`
    std::filesystem::path out;                // folder; empty: RUN/report
    bool compare = false;
    bool json = false;
};

std::string report(const ReportOptions& options);

}  // namespace cmr::cli
