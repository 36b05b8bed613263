#include "score/explain/novelty.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "score/small_plant.h"

namespace cmr::score {
namespace {

using test::kPlantLength;

// The same samples in another order: low and high ones in turn. Mean and deviation stay, the pace does not.
Features hurried(Features windows) {
    for (int64_t i = 0; i < windows.rows(); ++i)
        for (int64_t begin = 0; begin < windows.causes.columns; begin += kPlantLength) {
            const auto channel = windows.causes.row(i).subspan(begin, kPlantLength);
            std::vector<float> sorted(channel.begin(), channel.end());
            std::ranges::sort(sorted);
            for (int64_t t = 0; t < kPlantLength; ++t)
                channel[t] = t % 2 == 0 ? sorted[t / 2] : sorted[kPlantLength / 2 + t / 2];
        }
    return windows;
}

TEST(CauseNovelty, SeesAnotherPaceOfTheSameSamplesWithoutANetwork) {
    const test::SmallPlant plant;
    Healthy healthy = plant.healthy();
    Features samples;
    samples.causes = healthy.features.causes;
    samples.effects = healthy.features.effects;
    healthy.features = samples;
    const CauseNovelty novelty(healthy);
    const Features some = samples.chosen({3, 17, 30, 41, 58, 70});
    EXPECT_LT(novelty.level(some, some.rows()), 1);
    EXPECT_GT(novelty.level(hurried(some), some.rows()), 1);
}

}  // namespace
}  // namespace cmr::score
