// Additive faults: the effect is what it would have been, and something on top of it that knows nothing of the causes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/file.h"
#include "simulate/bearing.h"
#include "simulate/hydraulic.h"
#include "simulate/statistics.h"
#include "simulate/water.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

using Signal = std::vector<float>;

Signal minus(const Signal& a, const Signal& b) {
    Signal out(a.size());
    for (size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
    return out;
}

double deviation(const Signal& x) {
    double mean = 0.0, square = 0.0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) square += (v - mean) * (v - mean) / static_cast<double>(x.size());
    return std::sqrt(square);
}

TEST(Additive, ANeighbourShakesTheAccelerometerAndTheCurrentsKnowNothingOfIt) {
    BearingOptions options;
    options.seconds = 2.0;
    for (const char* code : {"KE01", "KE02", "KE03"}) {
        const Bearing& bearing = *std::ranges::find(bearings(), std::string(code), &Bearing::code);
        Bearing alone = bearing;
        alone.severity = 0.0;
        const BearingRun before = simulate_bearing_run(alone, operating_conditions()[0], 1, options);
        const BearingRun after = simulate_bearing_run(bearing, operating_conditions()[0], 1, options);
        EXPECT_EQ(before.phase_current_1, after.phase_current_1) << code;
        EXPECT_EQ(before.phase_current_2, after.phase_current_2) << code;
        const Signal drive = minus(before.phase_current_1, before.phase_current_2);
        const Signal added = minus(after.vibration, before.vibration);
        EXPECT_NEAR(deviation(added) / deviation(before.vibration), bearing.severity, 0.25 * bearing.severity) << code;
        const auto coupling = [&](const Signal& effect) {  // where the housing has its modes
            const auto at = [](double hz) { return static_cast<size_t>(hz * 2048.0 / 64000.0); };
            return test::coherence(drive, effect, 2048, at(1000), at(7000));
        };
        EXPECT_GT(coupling(before.vibration), 0.5) << code;
        EXPECT_LT(coupling(added), 0.05) << code;  // 62 blocks: chance alone gives 1/62
    }
}

TEST(Additive, BearingsComeWhenAskedFor) {
    const auto units = [](const char* faults) {
        const test::TemporaryFolder folder;
        BearingOptions options;
        options.scale = 0.001;
        options.seconds = 0.05;
        options.sample_rate_hz = 16000;
        options.faults = faults;
        simulate_bearing(folder / "out", options);
        return nlohmann::json::parse(io::read_file(folder / "out" / "ground_truth.json"))["faults"];
    };
    EXPECT_EQ(units("both").size(), 22u) << "19 damaged, 3 loose";
    EXPECT_EQ(units("all").size(), 25u);
    const auto additive = units("additive");
    ASSERT_EQ(additive.size(), 3u);
    EXPECT_EQ(additive[0]["unit"], "KE01");
    EXPECT_EQ(additive[0]["kind"], "additive");
    EXPECT_EQ(additive[0]["cause"], "") << "nothing broke";
    EXPECT_EQ(additive[0]["effect"], "vibration_1");
    EXPECT_EQ(additive[2]["severity"], 1.0);
}

TEST(Additive, PressureWavesReachOneSensorOfTheHydraulicRig) {
    constexpr size_t kPs1 = 0, kEps1 = 6;
    HydraulicOptions options;
    options.sample_rate_hz = 1;
    options.faults = "additive";
    for (const int level : {1, 2}) {
        Signal added, power;
        for (int64_t cycle = 0; cycle < 40; ++cycle) {
            const HydraulicCycle before = simulate_hydraulic_cycle({.cycle = cycle, .leakage = 0}, options);
            const HydraulicCycle after = simulate_hydraulic_cycle({.cycle = cycle, .leakage = level}, options);
            for (size_t s = 0; s < after.size(); ++s) {
                if (s == kPs1) continue;
                ASSERT_EQ(before[s], after[s]) << kHydraulicSensors[s].name;
            }
            const Signal more = minus(after[kPs1], before[kPs1]);
            added.insert(added.end(), more.begin(), more.end());
            power.insert(power.end(), before[kEps1].begin(), before[kEps1].end());
        }
        EXPECT_NEAR(deviation(added), 0.5 * level * 2.24, 0.12 * level) << "means over a second keep 0.92 of it";
        EXPECT_LT(test::r_squared(added, power), 0.02);
    }
}

TEST(Additive, TheHydraulicTruthNamesOneSensorAndNoCause) {
    const test::TemporaryFolder folder;
    HydraulicOptions options;
    options.scale = 0.02;
    options.sample_rate_hz = 1;
    options.faults = "additive";
    simulate_hydraulic(folder / "out", options);
    const auto fault = nlohmann::json::parse(io::read_file(folder / "out" / "ground_truth.json"))["faults"][0];
    EXPECT_EQ(fault["kind"], "additive");
    EXPECT_EQ(fault["cause"], "");
    EXPECT_EQ(fault["channels"], nlohmann::json::array({"PS1"}));
}

TEST(Additive, ADisturbanceComesOnTopOfOneSensorOfThePlantAndNothingElseChanges) {
    const Rng rng(3);
    const WaterAttackRun run = simulate_water_attacks(100'000, "additive", rng);
    const WaterRecord live = simulate_water_normal(100'000, rng.split("live"));
    ASSERT_EQ(run.attacks.size(), 8u);
    WaterRecord mended = run.record;
    for (const WaterAttack& attack : run.attacks) {
        EXPECT_EQ(attack.truth.kind, "additive");
        EXPECT_EQ(attack.truth.cause, "");
        ASSERT_EQ(attack.truth.channels.size(), 1u);
        EXPECT_EQ(attack.truth.effect, attack.truth.channels.front());
        const auto channel =
            static_cast<size_t>(std::ranges::find(kWaterChannels, attack.point) - kWaterChannels.begin());
        Signal added, whole;
        for (const WaterRow& row : live) whole.push_back(row[channel]);
        for (auto t = static_cast<size_t>(attack.begin); t < static_cast<size_t>(attack.end); ++t) {
            added.push_back(run.record[t][channel] - live[t][channel]);
            EXPECT_GT(run.record[t][channel], 0) << attack.point;
            mended[t][channel] = live[t][channel];
        }
        ASSERT_GE(added.size(), 1500u);
        EXPECT_NEAR(deviation(added) / deviation(whole), attack.truth.severity, 0.35 * attack.truth.severity);
    }
    EXPECT_TRUE(mended == live);
}

}  // namespace
}  // namespace cmr::simulate
