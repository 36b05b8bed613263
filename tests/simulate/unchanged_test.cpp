// Faults and rigs that come to a simulator leave what it made before as it was: single samples, read off before there
// were any. The tolerances are for mathematical libraries that round the last bit otherwise; another random draw is far
// off.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/file.h"
#include "simulate/bearing.h"
#include "simulate/hydraulic.h"
#include "simulate/water.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

TEST(Unchanged, RunsOfBearings) {
    BearingOptions options;
    options.seconds = 0.1;
    options.sample_rate_hz = 16000;
    struct Sample {
        const char* code;
        double current_1, current_2, vibration;
    };
    for (const Sample& known :
         {Sample{"K001", -2.490310, -1.237831, 0.090335}, Sample{"KA04", -1.386456, -2.064272, -0.196234},
          Sample{"KM02", 2.005982, -0.749229, -0.022279}}) {
        const Bearing& bearing = *std::ranges::find(bearings(), std::string(known.code), &Bearing::code);
        const BearingRun run = simulate_bearing_run(bearing, operating_conditions()[0], 1, options);
        EXPECT_NEAR(run.phase_current_1[1000], known.current_1, 5e-4) << known.code;
        EXPECT_NEAR(run.phase_current_2[1500], known.current_2, 5e-4) << known.code;
        EXPECT_NEAR(run.vibration[1200], known.vibration, 5e-4) << known.code;
    }
}

TEST(Unchanged, CyclesOfTheHydraulicRig) {
    constexpr size_t kPs1 = 0, kEps1 = 6, kFs1 = 7;
    HydraulicOptions options;
    options.sample_rate_hz = 1;
    const HydraulicState state{.cycle = 5, .cooler = 20, .leakage = 1};
    const HydraulicCycle damaged = simulate_hydraulic_cycle(state, options);
    EXPECT_NEAR(damaged[kPs1][30], 162.94002, 1e-3);
    EXPECT_NEAR(damaged[kEps1][30], 2526.92236, 1e-2);
    EXPECT_NEAR(damaged[kFs1][30], 7.39537, 1e-3);
    options.faults = "mechanism";
    const HydraulicCycle hidden = simulate_hydraulic_cycle(state, options);
    EXPECT_NEAR(hidden[kPs1][30], 165.17052, 1e-3);
    EXPECT_NEAR(hidden[kEps1][30], 2522.26392, 1e-2);
    EXPECT_NEAR(hidden[kFs1][30], 7.68704, 1e-3);
}

TEST(Unchanged, RowsOfTheWaterPlant) {
    for (const auto& [faults, level, attacks] : {std::tuple("damage", 529.81372, 4), {"mechanism", 529.78802, 3}}) {
        const WaterAttackRun run = simulate_water_attacks(20000, faults, Rng(1));
        const WaterRow& row = run.record[15000];
        EXPECT_EQ(std::ssize(run.attacks), attacks) << faults;
        EXPECT_NEAR(row[water::FIT101], 2.51574, 1e-4) << faults;
        EXPECT_NEAR(row[water::LIT101], level, 1e-2) << faults;
        EXPECT_NEAR(row[water::AIT202], 8.30145, 1e-4) << faults;
        EXPECT_NEAR(row[water::DPIT301], 18.31463, 1e-3) << faults;
    }
}

TEST(Unchanged, TheTruthAboutTheUsualRigDoesNotNumberIt) {
    const test::TemporaryFolder folder;
    HydraulicOptions options;
    options.scale = 0.001;
    options.sample_rate_hz = 1;
    const auto said = [&] {
        simulate_hydraulic(folder / "out", options);
        return nlohmann::json::parse(io::read_file(folder / "out" / "ground_truth.json"))["options"];
    };
    EXPECT_FALSE(said().contains("rig"));
    options.rig = 2;
    EXPECT_EQ(said()["rig"], 2);
}

}  // namespace
}  // namespace cmr::simulate
