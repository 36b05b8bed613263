#include "score/explain/mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "score/explain/explain.h"
#include "score/small_plant.h"

namespace cmr::score {
namespace {

using test::SmallPlant;

constexpr int32_t kTest = 1;  // recording; from sample 320 on the inlet no longer follows, see small_plant.h

// What the inlet would be without noise and fault.
double inlet(const SmallPlant& plant, int64_t t) {
    const auto& channels = plant.dataset.recordings[kTest].channels;
    return 10 + 2 * channels[0].values()[t] + channels[1].values()[t - 1];
}

void expect_what_causes_make(const std::vector<float>& expected, const SmallPlant& plant, int64_t begin) {
    double error = 0, fault = 0;
    int64_t known = 0;
    for (size_t t = 0; t < expected.size(); ++t) {
        if (std::isnan(expected[t])) continue;
        const int64_t at = begin + static_cast<int64_t>(t);
        ++known;
        error += std::pow(expected[t] - inlet(plant, at), 2);
        fault += std::pow(plant.dataset.recordings[kTest].channels[2].values()[at] - inlet(plant, at), 2);
    }
    ASSERT_GT(known, 90);
    EXPECT_LT(error, 0.05 * fault) << "close to what the causes make of it, far from what came";
}

TEST(Mechanism, ExpectsOfAFaultyEffectWhatItsCausesMakeOfIt) {
    const SmallPlant plant;
    const Detector detector = plant.fit();
    // Three windows and a part of one: the last two overlap.
    const std::vector<float> expected = expected_effect(detector.pipeline, plant.dataset, {kTest, 340, 440}, 0);
    ASSERT_EQ(expected.size(), 100u);
    for (const float value : expected) EXPECT_TRUE(std::isfinite(value));
    expect_what_causes_make(expected, plant, 340);
}

TEST(Mechanism, IsThatOfLaggedCausesWhereTheOtherIsLeftOut) {
    const SmallPlant plant([](recipe::Recipe& recipe) { recipe.score.only = {"marginal"}; });
    const std::vector<float> expected = expected_effect(plant.fit().pipeline, plant.dataset, {kTest, 340, 440}, 0);
    EXPECT_TRUE(std::isnan(expected[1])) << "two lags";
    EXPECT_TRUE(std::isfinite(expected[2]));
    expect_what_causes_make(expected, plant, 340);
}

TEST(Mechanism, IsTheSameWhateverTheEffectIs) {
    SmallPlant plant;
    const Detector detector = plant.fit();
    const auto before = expected_effect(detector.pipeline, plant.dataset, {kTest, 340, 372}, 0);
    plant.dataset.recordings[kTest].channels[2].values()[350] = 1e4f;
    const auto after = expected_effect(detector.pipeline, plant.dataset, {kTest, 340, 372}, 0);
    for (size_t t = 0; t < before.size(); ++t) EXPECT_NEAR(after[t], before[t], 1e-2) << t;
}

TEST(Mechanism, TellsInAnExplanationWhatCameAndWhatWasExpected) {
    const SmallPlant plant;
    const Detector detector = plant.fit();
    const ScoreRun run = score::run(detector, plant.dataset);
    const auto worst = std::ranges::max_element(run.windows, {}, &ScoredWindow::level) - run.windows.begin();
    const Explanation why = explain(detector, plant.dataset, run, worst);
    ASSERT_EQ(why.effects.front().name, "inlet");
    double came = 0, wanted = 0;
    for (int64_t t = 0; t < test::kPlantLength; ++t) {
        const int64_t at = run.windows[worst].window.begin + t;
        came += plant.dataset.recordings[kTest].channels[2].values()[at] / double{test::kPlantLength};
        wanted += inlet(plant, at) / test::kPlantLength;
    }
    EXPECT_NEAR(why.effects.front().observed, came, 1e-3);
    EXPECT_NEAR(why.effects.front().expected, wanted, 0.3);
    EXPECT_GT(std::abs(came - wanted), 1) << "so that the test can fail";
}

}  // namespace
}  // namespace cmr::score
