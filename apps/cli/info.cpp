#include "info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Version.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/version.h"
#include "build_info.h"
#include "kernels/amx.h"
#include "kernels/isa.h"
#include "kernels/precision.h"

namespace cmr::cli {
namespace {

struct Info {
    std::string isa;
    std::vector<std::string> available_isas;
    std::string precision;  // of products, where no model asks for another
    std::string amx;        // what is missing; empty: nothing
    int threads;
    std::vector<std::pair<std::string, std::string>> libraries;
};

Info gather() {
    Info result{
        .isa = kernels::name(kernels::current_isa()),
        .available_isas = {},
        .precision = kernels::name(kernels::chosen_precision(kernels::Precision::float32)),
        .amx = kernels::missing_for_tiles(kernels::tile_facts()),
        .threads = thread_count(),
        .libraries = {{"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
                      {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                                    NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
                      {"CLI11", CLI11_VERSION}}};
    for (const kernels::Isa isa : kernels::available_isas()) result.available_isas.emplace_back(kernels::name(isa));
    return result;
}

bool with_training() { return !std::string_view(kTorchVersion).empty(); }

std::string as_json(const Info& info) {
    nlohmann::ordered_json root;
    root["version"] = version();
    root["build"] = {{"type", kBuildType}, {"compiler", kCompiler}, {"processor", kProcessor}};
    root["kernels"] = {{"isa", info.isa}, {"available", info.available_isas}};
    root["precision"] = info.precision;
    root["amx"] = info.amx.empty();
    root["threads"] = info.threads;
    for (const auto& [library, version] : info.libraries) root["libraries"][library] = version;
    root["libraries"]["libtorch"] = with_training() ? nlohmann::ordered_json(kTorchVersion) : nullptr;
    return root.dump(2) + "\n";
}

std::string as_table(const Info& info) {
    std::vector<std::pair<std::string, std::string>> rows{
        {"cmr", std::string(version())},
        {"build", fmt::format("{}, {}, {}", kBuildType, kCompiler, kProcessor)},
        {"kernels", fmt::format("{} (CMR_ISA chooses among {})", info.isa, fmt::join(info.available_isas, ", "))},
        {"precision",
         fmt::format("{} where a model asks for no other (CMR_PRECISION sets one for all)", info.precision)},
        {"AMX", info.amx.empty() ? "there, for precision bf16x3 and bf16" : fmt::format("no: {}", info.amx)},
        {"threads", fmt::format("{} (CMR_THREADS sets another number)", info.threads)}};
    rows.insert(rows.end(), info.libraries.begin(), info.libraries.end());
    rows.emplace_back("libtorch", with_training() ? fmt::format("{} (for training only)", kTorchVersion)
                                                  : "none: built without training");
    size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.first.size());
    std::string text;
    for (const auto& [label, value] : rows) text += fmt::format("{:<{}}  {}\n", label, width, value);
    return text;
}

}  // namespace

std::string info(const InfoOptions& options) { return options.json ? as_json(gather()) : as_table(gather()); }

}  // namespace cmr::cli
