// Detectors of rivals: the same path as CMR, with other scores.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/methods/rival.h"
#include "score/file/detector_file.h"
#include "score/small_plant.h"
#include "support/temporary_folder.h"

namespace cmr::score {
namespace {

using test::SmallPlant;

SmallPlant plant_of(std::string_view method) {
    return SmallPlant([&](recipe::Recipe& recipe) { recipe.model.method = method; });
}

TEST(RivalDetector, ComesBackFromAFileWithTheSameScores) {
    for (const model::RivalKind& kind : model::rival_kinds()) {
        const SmallPlant plant = plant_of(kind.name);
        const Detector fitted = plant.fit();
        EXPECT_THAT(fitted.names(), testing::Contains("native")) << kind.name;
        EXPECT_THAT(fitted.names(), testing::Contains("knn")) << kind.name;
        EXPECT_THAT(fitted.names(), testing::Not(testing::Contains("residual"))) << kind.name;
        const test::TemporaryFolder folder;
        save_detector(fitted, folder / "rival.cmr");
        const Detector loaded = load_detector(folder / "rival.cmr");
        const auto& windows = plant.fold.test;
        EXPECT_EQ(loaded.pipeline.score(plant.dataset, windows).values.values,
                  fitted.pipeline.score(plant.dataset, windows).values.values)
            << kind.name;
    }
}

// The network's channels stand in the order of their groups; parts of the score are named by effect.
TEST(RivalDetector, NamesTheEffectThatItCannotRebuild) {
    SmallPlant plant = plant_of("ae");
    for (io::NamedTensor& tensor : plant.network.tensors)
        if (tensor.name.starts_with("decoder.up3")) std::ranges::fill(tensor.values, 0.0f);  // rebuilds nothing
    plant.embedder = make_embedder(plant.network, plant.preprocessing.inputs, {});
    Matrix causes = plant.preprocessing.cause_windows(plant.dataset, plant.fold.train, test::kPlantLength);
    Matrix effects = plant.preprocessing.effect_windows(plant.dataset, plant.fold.train, test::kPlantLength);
    for (int64_t effect = 0; effect < 3; ++effect) {
        Matrix wild = effects;
        for (int64_t i = 0; i < wild.rows; ++i)
            for (float& value : wild.row(i).subspan(effect * test::kPlantLength, test::kPlantLength)) value += 100;
        const Features features = plant.embedder->embed(causes, wild);
        ASSERT_EQ(features.native_parts.columns, 3);
        for (int64_t i = 0; i < wild.rows; ++i)
            EXPECT_EQ(std::ranges::max_element(features.native_parts.row(i)) - features.native_parts.row(i).begin(),
                      effect);
    }
}

}  // namespace
}  // namespace cmr::score
