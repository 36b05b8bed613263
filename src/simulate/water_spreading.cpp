#include "simulate/water_spreading.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "simulate/water_plant.h"

namespace cmr::simulate {

namespace {

// What shows debris in a stage, and what moves the water through it.
struct Stage {
    const char* name;
    const char* cause;
    std::vector<std::string> effects;
};

const std::array<Stage, kWaterStages>& stages() {
    static const std::array<Stage, kWaterStages> list = {{
        {"the inlet", "MV101", {"FIT101"}},
        {"the transfer", "P101 MV201", {"FIT201"}},
        {"the filtration", "P302 MV302", {"FIT301", "DPIT301"}},
        {"reverse osmosis",
         "P402 P501",
         {"FIT401", "FIT501", "FIT502", "FIT503", "FIT504", "PIT501", "PIT502", "PIT503"}},
    }};
    return list;
}

constexpr std::array kLosses = {0.2, 0.3, 0.4};  // of the flow

}  // namespace

WaterAttackRun spreading_faults(int64_t rows, int64_t faults, Rng rng, int64_t rig) {
    WaterAttackRun run;
    Rng times = rng.split("times");
    const int64_t slot = rows / faults;
    for (int64_t number = 1; number <= faults; ++number) {
        WaterAttack fault{.number = number};
        fault.begin = (number - 1) * slot + static_cast<int64_t>(times.uniform(0.05, 0.2) * static_cast<double>(slot));
        fault.end = fault.begin + std::min(static_cast<int64_t>(times.uniform(3000.0, 5000.0)), slot / 2);
        run.attacks.push_back(fault);
    }
    WaterPlant plant(rng.split("live"), water_rig(rig));
    WaterController controller;
    auto fault = run.attacks.begin();
    for (int64_t t = -kWaterLeadIn; t < rows; ++t) {
        const WaterRow row = plant.measure();
        if (t >= 0) run.record.push_back(row);
        if (fault != run.attacks.end() && t == fault->begin) {
            const auto turn = static_cast<size_t>(fault->number - 1);
            const size_t first = turn % (kWaterStages - 1);
            const double loss = kLosses[turn / (kWaterStages - 1) % kLosses.size()];
            plant.clog(first, loss);
            fault->start_state = "as in normal operation";
            fault->attack = fmt::format("Debris in {} takes {:.0f} % of its flow", stages()[first].name, 100 * loss);
            fault->change = "Yes";
            fault->intent = "Stage after stage no longer gives what its actuators ask for";
            fault->truth = {.kind = "spreading",
                            .cause = stages()[first].cause,
                            .effect = fmt::format("{}", fmt::join(stages()[first].effects, " ")),
                            .severity = loss};
        }
        if (fault != run.attacks.end() && t + 1 == fault->end) {
            std::vector<std::string> reached;
            for (const size_t stage : plant.clogged()) {
                reached.emplace_back(stages()[stage].name);
                for (const std::string& name : stages()[stage].effects) fault->truth.channels.push_back(name);
            }
            fault->truth.detail = fmt::format("{}; reached: {}", fault->attack, fmt::join(reached, ", "));
            fault->point = fmt::format("{}", fmt::join(fault->truth.channels, ", "));
            plant.flush();
            ++fault;
        }
        plant.advance(controller.decide(row));
    }
    return run;
}

}  // namespace cmr::simulate
