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

// By itself each; a window's level does not depend on the others.
TEST(CauseNovelty, TellsOfEachWindowWhetherItIsOutsideTheRange) {
    const test::SmallPlant plant;
    const Healthy healthy = plant.healthy();
    const CauseNovelty novelty(healthy);
    for (const float level : novelty.levels(healthy.features)) EXPECT_LE(level, 1);
    Features far = healthy.features.chosen({3, 17, 30});
    for (int64_t i = 0; i < far.causes.columns; ++i) far.causes.row(1)[i] += 30;
    if (far.has("causes.mean"))
        for (const char* name : {"causes.mean", "causes.std"})
            for (float& value : far[name].row(1)) value += 30;
    const std::vector<float> levels = novelty.levels(far);
    EXPECT_LE(levels[0], 1);
    EXPECT_GT(levels[1], 1);
    EXPECT_LE(levels[2], 1);
    EXPECT_EQ(novelty.levels(far.chosen({1})).front(), levels[1]);
}

// Two files, the causes of the second far from those of the first. Where files are tested the next one may be as far
// away; where time goes on, nothing like it was seen.
TEST(CauseNovelty, LeavesOutWhatIsTested) {
    const test::SmallPlant plant;
    const auto levels = [&](const char* split) {
        recipe::Recipe recipe = plant.recipe;
        recipe.split.kind = split;
        Healthy healthy{plant.dataset, recipe, plant.preprocessing, {0, 1}, plant.fold.train, {}};
        const Features all = plant.features(plant.fold.train);
        healthy.features.causes = all.causes;
        healthy.features.effects = all.effects;
        const auto shift = [](std::span<float> row, float by) {
            for (float& value : row) value += by;
        };
        const int64_t rows = all.rows();
        for (int64_t i = rows / 2; i < rows; ++i) {
            healthy.windows[i].recording = 1;
            shift(healthy.features.causes.row(i), 30);
        }
        Features later = healthy.features.chosen({rows / 2 + 3});
        shift(later.causes.row(0), 15);
        return CauseNovelty(healthy).levels(later).front();
    };
    EXPECT_GT(levels("chronological"), 1);
    EXPECT_LT(levels("by-file"), 1);
}

}  // namespace
}  // namespace cmr::score
