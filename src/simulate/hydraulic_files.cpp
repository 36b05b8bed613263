#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "io/file.h"
#include "io/json_fields.h"
#include "simulate/hydraulic.h"

namespace cmr::simulate {

namespace {

std::string profile_text(const std::vector<HydraulicState>& campaign) {
    std::string text;
    for (const HydraulicState& state : campaign)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\n", state.cooler, state.valve, state.leakage, state.accumulator,
                            state.stable ? 0 : 1);
    return text;
}

std::string row_text(const std::vector<float>& row, int decimals) {
    fmt::memory_buffer text;
    for (const float value : row) fmt::format_to(std::back_inserter(text), "{:.{}f}\t", value, decimals);
    std::string line = fmt::to_string(text);
    line.back() = '\n';
    return line;
}

// All files or none: the writing of each happens inside that of the one before.
void write_together(const fs::path& folder, std::span<const std::string> files,
                    const std::function<void(const std::vector<io::Sink>&)>& produce,
                    std::vector<io::Sink> sinks = {}) {
    if (sinks.size() == files.size()) return produce(sinks);
    io::write_file_atomically(folder / files[sinks.size()], [&](const io::Sink& sink) {
        std::vector<io::Sink> more = sinks;
        more.push_back(sink);
        write_together(folder, files, produce, std::move(more));
    });
}

std::string detail_of(const std::string& faults, int level) {
    if (faults == "mechanism")
        return level == 1 ? "half of the load's variance is hidden from the motor"
                          : "the whole load is hidden from the motor";
    if (faults == "additive")
        return level == 1 ? "pressure waves from elsewhere, half as strong as the load's"
                          : "pressure waves from elsewhere, as strong as the load's";
    return level == 1 ? "weak internal leakage" : "severe internal leakage";
}

// Runs of faulty cycles in the same state, so that the list stays readable.
std::vector<FaultRecord> faults_of(const std::vector<HydraulicState>& campaign, const HydraulicOptions& options) {
    const bool additive = options.faults == "additive";
    std::vector<FaultRecord> faults;
    for (const HydraulicState& state : campaign) {
        if (state.leakage == 0) continue;
        if (!faults.empty() && faults.back().end == state.cycle && faults.back().severity == state.leakage) {
            faults.back().end = state.cycle + 1;
            continue;
        }
        faults.push_back({.unit = "cycles",
                          .range = "cycle",
                          .begin = state.cycle,
                          .end = state.cycle + 1,
                          .time = fmt::format("from minute {}", state.cycle),
                          .kind = options.faults == "damage" ? "leakage" : options.faults,
                          .detail = detail_of(options.faults, state.leakage),
                          .cause = additive ? "" : "EPS1",
                          .effect = "PS1",
                          .severity = static_cast<double>(state.leakage),
                          .channels = additive ? std::vector<std::string>{"PS1"}
                                               : std::vector<std::string>{"PS1", "PS2", "PS3", "FS1", "SE"}});
    }
    return faults;
}

}  // namespace

void simulate_hydraulic(const fs::path& folder, const HydraulicOptions& options, const Progress& progress) {
    require_one_of("faults", options.faults, {"damage", "mechanism", "additive"});
    require_one_of("sample_rate_hz", std::to_string(options.sample_rate_hz), {"100", "10", "1"});
    require_range("scale", options.scale, 1e-3, 1.0);
    require_range("rig", static_cast<double>(options.rig), 0, 1e9);
    std::vector<std::string> files = {"profile.txt"};
    for (const HydraulicSensor& sensor : kHydraulicSensors) files.push_back(std::string(sensor.name) + ".txt");
    prepare_folder(folder, files);

    const std::vector<HydraulicState> campaign = hydraulic_campaign(options);
    io::write_file_atomically(folder / "profile.txt", profile_text(campaign));
    write_together(folder, std::span(files).subspan(1), [&](const std::vector<io::Sink>& sinks) {
        // In batches: all cycles of 100 Hz together are gigabytes of text.
        constexpr size_t kBatch = 64;
        for (size_t first = 0; first < campaign.size(); first += kBatch) {
            using Lines = std::array<std::string, kHydraulicSensors.size()>;
            std::vector<Lines> cycles(std::min(kBatch, campaign.size() - first));
            parallel_for(static_cast<int64_t>(cycles.size()), [&](int64_t i) {
                const auto index = static_cast<size_t>(i);
                const HydraulicCycle cycle = simulate_hydraulic_cycle(campaign[first + index], options);
                for (size_t s = 0; s < sinks.size(); ++s) {
                    const HydraulicSensor& sensor = kHydraulicSensors[s];
                    const bool means = options.sample_rate_hz < sensor.rate_hz;
                    cycles[index][s] = row_text(cycle[s], sensor.decimals + (means ? 2 : 0));
                }
            });
            for (const Lines& lines : cycles)
                for (size_t s = 0; s < sinks.size(); ++s) sinks[s](std::as_bytes(std::span(lines[s])));
            if (progress) progress(static_cast<double>(first + cycles.size()) / static_cast<double>(campaign.size()));
        }
    });
    write_ground_truth(folder, "hydraulic", io::to_json(options), faults_of(campaign, options));
}

}  // namespace cmr::simulate
