#include "score/explain/cause_limits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "score/explain/explain.h"
#include "score/small_plant.h"

namespace cmr::score {
namespace {

// By hand: the largest share of each healthy window, and what 99 % of them stay below.
TEST(CauseLimits, AreWhatHealthyWindowsReachByChance) {
    const test::SmallPlant plant;
    const Detector detector = plant.fit_bare();
    const linear::LaggedRidge& mechanism = detector.pipeline.mechanism();
    const std::vector<data::Window> windows = healthy_windows(plant.recipe, data::runs_of(plant.fold));
    const Features healthy = plant.features(windows);
    for (int64_t effect = 0; effect < 3; ++effect) {
        std::vector<double> largest;
        for (int64_t i = 0; i < healthy.rows(); ++i) {
            const Features one = healthy.chosen({i});
            largest.push_back(std::ranges::max(mechanism.cause_shares(one.causes, one.effects, effect)));
        }
        std::ranges::sort(largest);
        const double chance = largest[static_cast<size_t>(0.99 * static_cast<double>(largest.size() - 1))];
        EXPECT_NEAR(detector.explainer.limits[effect], std::max(0.2, chance), 1e-6) << effect;
    }
}

// Effects that hardly answer: much of what is left goes with a cause by chance, and the limit is above the least.
TEST(CauseLimits, AreHigherWhereChanceReachesMore) {
    Eigen::MatrixXd weights(1, 1);
    weights << 1.0;
    const linear::LaggedRidge mechanism(
        {Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), weights, Eigen::VectorXd::Ones(1), 0}, 1, 1, 0);
    Matrix causes(4, 3), effects(4, 3);  // an effect that stays where it is while the cause moves: all of it is lost
    for (int64_t i = 0; i < 4; ++i)
        for (float& value : causes.row(i)) value = 1;
    EXPECT_NEAR(CauseLimits(mechanism, causes, effects, 1)[0], CauseLimits::kHalf, 1e-6);
    effects = causes;  // it follows, and no cause is missed
    EXPECT_NEAR(CauseLimits(mechanism, causes, effects, 1)[0], CauseLimits::kClearShare, 1e-6);
}

}  // namespace
}  // namespace cmr::score
