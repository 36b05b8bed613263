#pragma once
// `cmr report`: runs of studies as one page and its tables.

#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct ReportOptions {
    std::vector<std::filesystem::path> runs;  // one or more; two with `compare`
    std::filesystem::path out;                // folder; empty: RUN/report of one run, else report
    bool compare = false;
    bool json = false;
};

std::string report(const ReportOptions& options);

}  // namespace cmr::cli
