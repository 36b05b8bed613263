// Another rig has the same mechanism with other parameters: effects follow their causes as well, and otherwise.

#include <gtest/gtest.h>

#include "simulate/bearing.h"
#include "simulate/hydraulic.h"
#include "simulate/statistics.h"
#include "simulate/water.h"
#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::simulate {
namespace {

using Signal = std::vector<float>;

BearingRun bearing_run(int64_t rig, int64_t run, const char* code = "K001") {
    BearingOptions options;
    options.seconds = 1.0;
    options.rig = rig;
    const Bearing& bearing = *std::ranges::find(bearings(), std::string(code), &Bearing::code);
    return simulate_bearing_run(bearing, operating_conditions()[0], run, options);
}

double coupling(const BearingRun& run) {
    Signal drive(run.vibration.size());
    for (size_t t = 0; t < drive.size(); ++t) drive[t] = run.phase_current_1[t] - run.phase_current_2[t];
    const auto at = [](double hz) { return static_cast<size_t>(hz * 2048.0 / 64000.0); };
    return test::coherence(drive, run.vibration, 2048, at(1000), at(7000));
}

TEST(Rig, ABearingShakesAnotherHousingOtherwiseAndAsMuchByItsDrive) {
    const Signal usual = bearing_run(0, 1).vibration;
    const double scatter = test::spectrum_distance(usual, bearing_run(0, 2).vibration, 1024);
    for (const int64_t rig : {1, 2, 3}) {
        const BearingRun other = bearing_run(rig, 1);
        EXPECT_EQ(other.vibration, bearing_run(rig, 1).vibration) << "the number says it all";
        EXPECT_GT(test::spectrum_distance(usual, other.vibration, 1024), 1.5 * scatter) << rig;
        EXPECT_GT(coupling(other), 0.4) << rig;
        EXPECT_LT(coupling(bearing_run(rig, 1, "KM03")), 0.1) << rig;
    }
}

TEST(Rig, AnotherPumpTurnsPressureIntoOtherPower) {
    HydraulicOptions options;
    options.sample_rate_hz = 1;
    std::vector<double> slopes;
    for (const int64_t rig : {0, 1, 2, 3}) {
        options.rig = rig;
        Signal pressure, power;
        for (int64_t cycle = 0; cycle < 20; ++cycle) {
            const HydraulicCycle one = simulate_hydraulic_cycle({.cycle = cycle}, options);
            pressure.insert(pressure.end(), one[0].begin(), one[0].end());
            power.insert(power.end(), one[6].begin(), one[6].end());
        }
        EXPECT_GT(test::r_squared(power, pressure), 0.9) << rig;
        const auto [low, high] = std::ranges::minmax(pressure);
        const auto [least, most] = std::ranges::minmax(power);
        slopes.push_back((most - least) / (high - low));
    }
    EXPECT_NEAR(slopes[0], 8.0 / 0.6, 1.5);  // W per bar
    const auto [least, most] = std::ranges::minmax(slopes);
    EXPECT_GT(most - least, 0.5);
}

TEST(Rig, AnotherPlantHoldsItsLevelsByOtherFlows) {
    using namespace water;
    std::vector<double> flows;
    for (const int64_t rig : {1, 2, 3}) {
        const WaterRecord record = simulate_water_normal(20000, Rng(2), WaterRegime::kUsual, rig);
        double flow = 0.0, dosed = 0.0;
        int64_t transfers = 0;
        for (const WaterRow& row : record) {
            ASSERT_GT(row[LIT101], 250) << rig;
            ASSERT_LT(row[LIT101], 850) << rig;
            ASSERT_GT(row[LIT301], 600) << rig;
            ASSERT_LT(row[LIT401], 1050) << rig;
            if (row[P101] != 2 || row[MV201] != 2) continue;
            ++transfers;
            flow += row[FIT201];
            dosed += row[P205] == 2;
        }
        ASSERT_GT(transfers, 2000) << rig;
        flow /= static_cast<double>(transfers);
        flows.push_back(flow);
        EXPECT_NEAR(flow, 2.45, 0.26) << rig;
        EXPECT_GT(dosed / static_cast<double>(transfers), 0.95) << rig << ": chlorine is dosed with the flow";
    }
    EXPECT_GT(std::ranges::max(flows) - std::ranges::min(flows), 0.05);
}

TEST(Rig, TheAttackedRunIsOfTheSamePlant) {
    const Rng rng(4);
    for (const char* faults : {"damage", "mechanism", "additive"}) {
        const WaterAttackRun run = simulate_water_attacks(8000, faults, rng, 2);
        const WaterRecord live = simulate_water_normal(8000, rng.split("live"), WaterRegime::kUsual, 2);
        EXPECT_EQ(run.record.front(), live.front()) << faults;
        EXPECT_NE(run.record.front(), simulate_water_attacks(8000, faults, rng).record.front()) << faults;
    }
}

TEST(Rig, ANumberBelowZeroIsRefused) {
    const test::TemporaryFolder folder;
    BearingOptions bearing;
    HydraulicOptions hydraulic;
    WaterOptions water;
    bearing.rig = hydraulic.rig = water.rig = -1;
    test::expect_input_error([&] { simulate_bearing(folder / "out", bearing); }, {"rig", "-1"});
    test::expect_input_error([&] { simulate_hydraulic(folder / "out", hydraulic); }, {"rig", "-1"});
    test::expect_input_error([&] { simulate_water(folder / "out", water); }, {"rig", "-1"});
}

}  // namespace
}  // namespace cmr::simulate
