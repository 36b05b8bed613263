#include "simulate/output.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "io/file.h"

namespace cmr::simulate {

namespace {

constexpr const char* kGroundTruth = "ground_truth.json";

nlohmann::ordered_json to_json(const FaultRecord& fault) {
    return {{"unit", fault.unit},     {"range", fault.range},       {"begin", fault.begin},      {"end", fault.end},
            {"time", fault.time},     {"kind", fault.kind},         {"detail", fault.detail},    {"cause", fault.cause},
            {"effect", fault.effect}, {"channels", fault.channels}, {"severity", fault.severity}};
}

// Everything below `folder`, or the reason why it may not be replaced.
std::vector<fs::path> simulated_entries(const fs::path& folder, const std::vector<std::string>& patterns) {
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
    if (entries.empty()) return entries;
    if (!fs::exists(folder / kGroundTruth))
        throw InputError("{}: the folder is not empty and holds no earlier simulation; choose another",
                         folder.string());
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_directory() && !entry.is_symlink()) continue;
        const std::string name = fs::relative(entry.path(), folder).generic_string();
        const bool ours = name == kGroundTruth || std::ranges::any_of(patterns, [&](const std::string& pattern) {
                              return matches(name, pattern);
                          });
        if (!ours)
            throw InputError("{}: {} is not from a simulation, so nothing is replaced; choose another folder",
                             folder.string(), name);
    }
    return entries;
}

}  // namespace

void prepare_folder(const fs::path& folder, const std::vector<std::string>& patterns) {
    try {
        fs::create_directories(folder);
        for (const fs::path& entry : simulated_entries(folder, patterns)) fs::remove_all(entry);
    } catch (const fs::filesystem_error& error) {
        fail_with(error.code().value(), fmt::format("{}: cannot be made a folder for the simulation", folder.string()));
    }
    // Written first, so that a simulation that was interrupted can be replaced as well.
    io::write_file_atomically(folder / kGroundTruth, "{\"complete\": false}\n");
}

void write_ground_truth(const fs::path& folder, std::string_view simulator, const nlohmann::ordered_json& options,
                        const std::vector<FaultRecord>& faults) {
    nlohmann::ordered_json json;
    json["complete"] = true;
    json["simulator"] = simulator;
    json["options"] = nlohmann::json(options);  // by name
    if (json["options"].value("rig", 0) == 0) json["options"].erase("rig");
    json["faults"] = nlohmann::ordered_json::array();
    for (const FaultRecord& fault : faults) json["faults"].push_back(to_json(fault));
    io::write_file_atomically(folder / kGroundTruth, json.dump(1) + "\n");
}

void require_one_of(std::string_view name, std::string_view value, const std::vector<std::string>& allowed) {
    if (std::ranges::find(allowed, value) == allowed.end())
        throw InputError("{} is \"{}\", expected {}", name, value, fmt::join(allowed, " or "));
}

void require_range(std::string_view name, double value, double low, double high) {
    if (!(value >= low && value <= high)) throw InputError("{} is {}, expected {} to {}", name, value, low, high);
}

void parallel_with_progress(int64_t tasks, const Progress& progress, const std::function<void(int64_t)>& body) {
    std::mutex mutex;
    int64_t done = 0;
    parallel_for(tasks, [&](int64_t task) {
        body(task);
        if (!progress) return;
        const std::lock_guard lock(mutex);
        progress(static_cast<double>(++done) / static_cast<double>(tasks));
    });
}

}  // namespace cmr::simulate
