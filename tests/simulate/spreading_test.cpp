// Faults that spread from one stage of the water plant into the next.

#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/water.h"
#include "simulate/water_plant.h"

namespace cmr::simulate {
namespace {

using namespace water;

// What a stage shows while its actuators let water through.
struct Shown {
    size_t sensor, actuator;
};
constexpr std::array<Shown, 3> kShown = {{{FIT101, MV101}, {FIT201, MV201}, {FIT301, P302}}};

// Mean of the flow over the rows begin … end-1 at which the actuator is open for at least ten seconds.
double mean_flow(const WaterRecord& record, const Shown& shown, int64_t begin, int64_t end) {
    double sum = 0, count = 0;
    int64_t open = 0;
    for (int64_t t = std::max<int64_t>(begin, 0); t < std::min(end, std::ssize(record)); ++t) {
        open = record[t][shown.actuator] == 2.0f ? open + 1 : 0;
        if (open > 10) sum += record[t][shown.sensor], ++count;
    }
    return count > 0 ? sum / count : -1;
}

TEST(Spreading, TakesTheFirstFlowAtOnceAndTheNextLater) {
    const WaterAttackRun run = simulate_water_attacks(120'000, "spreading", Rng(3));
    ASSERT_GE(run.attacks.size(), 9u);
    int spread = 0;
    for (const WaterAttack& fault : run.attacks) {
        const auto first = static_cast<size_t>(fault.number - 1) % 3;
        const double before = mean_flow(run.record, kShown[first], fault.begin - 3000, fault.begin);
        const double during = mean_flow(run.record, kShown[first], fault.begin, fault.end);
        EXPECT_NEAR(during / before, 1 - fault.truth.severity, 0.03) << fault.truth.detail;
        EXPECT_EQ(fault.truth.kind, "spreading");
        EXPECT_EQ(fault.truth.channels.front(), kWaterChannels[kShown[first].sensor]);
        if (first == 2) continue;
        const Shown& next = kShown[first + 1];
        const bool reached = std::ranges::count(fault.truth.channels, std::string(kWaterChannels[next.sensor])) > 0;
        spread += reached;
        // 0.3 m³ at 2.6 m³/h at most take more than 400 s.
        const double at_first = mean_flow(run.record, next, fault.begin, fault.begin + 400);
        const double at_last = mean_flow(run.record, next, fault.end - 1000, fault.end);
        const double usual = mean_flow(run.record, next, fault.begin - 3000, fault.begin);
        if (at_first > 0) {
            EXPECT_NEAR(at_first / usual, 1, 0.05) << fault.truth.detail;
        }
        if (at_last > 0 && reached && fault.truth.severity > 0.25) {
            EXPECT_LT(at_last / usual, 0.95) << fault.truth.detail;
        }
    }
    EXPECT_GE(spread, 5);
}

TEST(Spreading, IsOverWhenItIsFlushed) {
    WaterPlant plant{Rng(1)};
    EXPECT_TRUE(plant.clogged().empty());
    plant.clog(1, 0.3);
    EXPECT_EQ(plant.clogged(), std::vector<size_t>{1});
    plant.flush();
    EXPECT_TRUE(plant.clogged().empty());
}

TEST(Spreading, ReachesStageAfterStageAndNoneAboveIt) {
    WaterPlant plant{Rng(1)};
    WaterController controller;
    plant.clog(1, 0.3);
    for (int t = 0; t < 20'000; ++t) plant.advance(controller.decide(plant.measure()));
    EXPECT_EQ(plant.clogged(), (std::vector<size_t>{1, 2, 3}));
}

}  // namespace
}  // namespace cmr::simulate
