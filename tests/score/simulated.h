#pragma once
// The simulators' machines in memory, as datasets that a detector can be fitted on.

#include <filesystem>

#include "base/version.h"
#include "data/fingerprint.h"
#include "data/synthetic.h"
#include "score/fit_detector.h"
#include "simulate/bearing.h"
#include "simulate/hydraulic.h"
#include "simulate/water.h"

namespace cmr::test {

// A detector without a network, fitted on the recordings of role "fit": quick, and explained like any other.
inline score::Detector fit_bare(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t seed = 7) {
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    const score::Provenance origin{recipe::to_toml(recipe), fold.name, 0, seed, data::fingerprint(dataset),
                                   std::string(version())};
    return score::fit_detector(dataset, recipe, fold, model::prepare(dataset, recipe, fold), {}, origin);
}

inline data::Recording& add_samples(data::Dataset& dataset, const std::string& name, int32_t part,
                                    const std::vector<std::vector<float>>& channels) {
    data::Recording& out = dataset.recordings.emplace_back();
    out.name = name;
    out.part = part;
    for (const std::vector<float>& values : channels) out.channels.push_back(samples_of(values));
    out.segments = {{0, out.length(), 0.0}};
    out.spans = {{.begin = 0, .end = out.length()}};
    ++dataset.parts[part].files;
    return out;
}

inline recipe::Channels channels_of(const char* role, const char* group, const std::vector<std::string>& names) {
    recipe::Channels out;
    out.role = role;
    out.group = group;
    out.names = names;
    return out;
}

// The channels of a recipe, no recordings.
inline data::Dataset empty_dataset(const recipe::Recipe& recipe) {
    data::Dataset out;
    out.name = recipe.name;
    out.rate_hz = recipe.data.rate_hz;
    for (const recipe::Channels& entry : recipe.channels)
        for (const std::string& name : entry.names) out.channels.push_back({name, entry.role == "effect", entry.group});
    out.parts = {{.name = "fit", .role = "fit", .files = 0}, {.name = "test", .role = "test", .files = 0}};
    return out;
}

// The water plant, by the recipe of `cmr demo`.
inline recipe::Recipe water_recipe() {
    const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
    return recipe::read_recipe(root / "recipes" / "simulated" / "demo.toml");
}

inline data::Recording& add_water(data::Dataset& dataset, int32_t part, const std::string& name,
                                  const simulate::WaterRecord& record) {
    std::vector<std::vector<float>> channels;
    for (const data::Channel& channel : dataset.channels) {
        const auto at = std::ranges::find(simulate::kWaterChannels, channel.name) - simulate::kWaterChannels.begin();
        std::vector<float>& values = channels.emplace_back();
        for (const simulate::WaterRow& row : record) values.push_back(row[at]);
    }
    return add_samples(dataset, name, part, channels);
}

// The bearing rig at a quarter of its rate: currents are the causes, the housing's vibration is the effect.
inline recipe::Recipe bearing_recipe() {
    recipe::Recipe out = make_recipe(1024, 1024);  // 0.064 s
    out.name = "bearing";
    out.data.rate_hz = 16000;
    recipe::Part& part = out.data.part.emplace_back();
    part.name = "fit";
    part.files = "*.mat";
    part.state = "healthy";
    out.channels = {channels_of("cause", "current", {"current A", "current B"}),
                    channels_of("effect", "vibration", {"vibration"})};
    out.score.k = 3;
    out.score.lags = 48;  // 3 ms, in which the housing rings down
    return out;
}

// One run of a second, 15 windows.
inline data::Recording& add_bearing(data::Dataset& dataset, int32_t part, const simulate::Bearing& bearing,
                                    const simulate::OperatingCondition& condition, int64_t run, int64_t seed) {
    const simulate::BearingRun samples = simulate::simulate_bearing_run(
        bearing, condition, run, {.seconds = 1, .sample_rate_hz = dataset.rate_hz, .bearings = {}, .seed = seed});
    return add_samples(dataset, fmt::format("{}_{}_{}", condition.code, bearing.code, run), part,
                       {samples.phase_current_1, samples.phase_current_2, samples.vibration});
}

// The hydraulic rig at a sample per second: motor power is the cause, everything else the effect.
inline recipe::Recipe hydraulic_recipe() {
    recipe::Recipe out = make_recipe(60, 60);  // a cycle
    out.name = "hydraulic";
    out.data.rate_hz = 1;
    recipe::Part& part = out.data.part.emplace_back();
    part.name = "fit";
    part.files = "*.txt";
    part.state = "healthy";
    std::vector<std::string> effects;
    for (const simulate::HydraulicSensor& sensor : simulate::kHydraulicSensors)
        if (std::string_view(sensor.name) != "EPS1") effects.emplace_back(sensor.name);
    out.channels = {channels_of("cause", "power", {"EPS1"}), channels_of("effect", "sensors", effects)};
    out.score.k = 3;
    return out;
}

// A cycle with a cooler of `cooler` % and the oil at about so many °C.
inline simulate::HydraulicState hydraulic_state(int64_t cycle, int cooler, double celsius, int leakage, Rng& rng) {
    return {.cycle = cycle, .cooler = cooler, .leakage = leakage, .oil_celsius = celsius + 0.3 * rng.normal()};
}

// Cycles in these states, one after the other.
inline data::Recording& add_hydraulic(data::Dataset& dataset, int32_t part, const std::string& name,
                                      const std::vector<simulate::HydraulicState>& states,
                                      const simulate::HydraulicOptions& options) {
    std::vector<std::vector<float>> channels(dataset.channels.size());
    for (const simulate::HydraulicState& state : states) {
        const simulate::HydraulicCycle cycle = simulate::simulate_hydraulic_cycle(state, options);
        for (size_t c = 0; c < channels.size(); ++c) {
            const auto at = std::ranges::find(simulate::kHydraulicSensors, dataset.channels[c].name,
                                              [](const auto& sensor) { return std::string(sensor.name); }) -
                            simulate::kHydraulicSensors.begin();
            channels[c].insert(channels[c].end(), cycle[at].begin(), cycle[at].end());
        }
    }
    return add_samples(dataset, name, part, channels);
}

}  // namespace cmr::test
