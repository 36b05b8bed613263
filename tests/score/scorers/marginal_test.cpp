#include <gtest/gtest.h>

#include "score/small_plant.h"

namespace cmr::score {
namespace {

// The network's training windows give the scale of the samples. The level that a channel is measured from is that of
// all healthy windows: whatever that scale is, the score is the same.
TEST(Marginal, IsMeasuredFromTheLevelOfAllHealthyWindows) {
    test::SmallPlant plant;
    const auto scores = [&] {
        return scorer_named("marginal").fit(plant.healthy())->judge(plant.features(plant.fold.test));
    };
    const Judged before = scores();
    data::Scaler& scale = plant.preprocessing.scaler;
    for (const int64_t channel : plant.preprocessing.effects) {
        scale.mean[channel] += 2 * scale.deviation[channel];
        scale.deviation[channel] *= 3;
    }
    const Judged after = scores();
    ASSERT_EQ(after.scores.size(), before.scores.size());
    for (size_t i = 0; i < before.scores.size(); ++i) EXPECT_NEAR(after.scores[i], before.scores[i], 1e-4);
}

}  // namespace
}  // namespace cmr::score
