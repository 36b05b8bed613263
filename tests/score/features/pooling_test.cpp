#include "score/features/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "score/small_plant.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

using test::SmallPlant;

std::vector<float> statistic(const char* pooling, const std::vector<float>& tokens, int64_t features,
                             const std::vector<float>& minus = {}) {
    std::vector<float> out(features);
    const TokenView view{tokens.data(), minus.empty() ? nullptr : minus.data(), std::ssize(tokens) / features,
                         features};
    pooling_named(pooling).parts.front().statistic.of(view, out.data());
    return out;
}

TEST(Statistic, GivesKnownNumbers) {
    const std::vector<float> tokens = {1, -1, 3, -1, 8, -1};  // three of two features
    EXPECT_EQ(statistic("mean", tokens, 2), (std::vector<float>{4, -1}));
    EXPECT_EQ(statistic("max", tokens, 2), (std::vector<float>{8, -1}));
    EXPECT_EQ(statistic("std", tokens, 2), (std::vector<float>{std::sqrt(26.0f / 3.0f), 0}));
}

TEST(Statistic, TakesTheObservedFromThePredictedFirst) {
    const std::vector<float> tokens = {1, -1, 3, -1, 8, -1}, minus = {1, 1, 2, 3, 0, 0};
    EXPECT_EQ(statistic("mean", tokens, 2, minus), (std::vector<float>{3, -7.0f / 3.0f}));
    EXPECT_EQ(statistic("max", tokens, 2, minus), (std::vector<float>{8, -1}));
}

TEST(Statistic, OneTokenHasNoDeviation) {
    EXPECT_EQ(statistic("std", {5, -3}, 2), (std::vector<float>{0, 0}));
    EXPECT_EQ(statistic("max", {5, -3}, 2), (std::vector<float>{5, -3}));
}

// In float the squares of 1e6 leave nothing of a deviation of 1.
TEST(Statistic, KeepsItsDigitsFarFromZero) {
    std::vector<float> tokens;
    for (int t = 0; t < 1000; ++t) tokens.push_back(t % 2 ? 1e6f + 1 : 1e6f - 1);
    EXPECT_EQ(statistic("std", tokens, 1).front(), 1.0f);
}

TEST(PoolingKinds, AreThoseThatRecipesKnow) {
    std::vector<std::string_view> names;
    for (const PoolingKind& kind : pooling_kinds()) names.push_back(kind.name);
    EXPECT_THAT(recipe::kPoolings, testing::ElementsAreArray(names));
}

const SmallPlant& plant() {
    static const SmallPlant plant;
    return plant;
}

// All that any pooling needs.
const Features& windows() {
    static const Features features = [] {
        const auto embedder =
            plant().embedder_of(plant().network, {recipe::kPoolings.begin(), recipe::kPoolings.end()});
        const Features all = plant().features(plant().fold.train);
        return embedder->embed(all.causes, all.effects);
    }();
    return features;
}

TEST(Pooling, StandsBesideEachOtherAsItsNameSays) {
    const Features& f = windows();
    const auto pooled = [&](const char* name) { return Pooling(name, f)(f).values; };
    const Matrix &mean = f["effects.mean"], &std = f["effects.std"], &max = f["effects.max"];
    EXPECT_EQ(pooled("std"), std.values);
    EXPECT_EQ(pooled("mean"), mean.values);
    EXPECT_EQ(pooled("max"), max.values);
    EXPECT_EQ(pooled("mean+std"), concat_columns(mean, std).values);
    EXPECT_EQ(pooled("mean+std+max"), concat_columns(mean, concat_columns(std, max)).values);
    EXPECT_EQ(pooled("effect+cause"), concat_columns(std, f["causes.std"]).values);
    EXPECT_EQ(pooled("effect+mean-cause"), concat_columns(std, f["mean-cause.std"]).values);
    EXPECT_EQ(pooled("cause-encoder"), f["cause-encoded.mean"].values);
    EXPECT_EQ(pooled("mean-pca"), linear::fit_pca(mean, 64).transform(mean).values);
}

TEST(Pooling, IsGivenWhatItIsMadeOf) {
    for (const std::string_view name : recipe::kPoolings) {
        const Features all = plant().features(plant().fold.train);
        const Features own = plant().embedder_of(plant().network, {std::string(name)})->embed(all.causes, all.effects);
        const std::string pooling(name);
        EXPECT_EQ(Pooling(pooling, own)(own).values, Pooling(pooling, windows())(windows()).values) << name;
    }
}

// Two causes of 16 features each.
TEST(Pooling, TheMeanCauseIsTheMeanOfWhatEachCauseShows) {
    const Matrix &all = windows()["causes.std"], &mean = windows()["mean-cause.std"];
    ASSERT_EQ(all.columns, 32);
    ASSERT_EQ(mean.columns, 16);
    for (int64_t i = 0; i < all.rows; ++i)
        for (int64_t f = 0; f < 16; ++f)
            EXPECT_FLOAT_EQ(mean.row(i)[f], 0.5f * (all.row(i)[f] + all.row(i)[16 + f])) << i << ", " << f;
}

TEST(Pooling, KnowsItsWidth) {
    const model::FeatureCounts counts{.causes = 2 * 16, .effects = 3 * 16, .cause = 16};
    for (const std::string_view name : recipe::kPoolings) {
        const Pooling pooling(std::string(name), windows());
        EXPECT_EQ(pooling(windows()).columns, pooling.columns(counts)) << name;
        EXPECT_EQ(pooling(windows()).rows, windows().rows());
    }
    EXPECT_EQ(pooling_named("mean+std+max").columns(counts), 3 * counts.effects);
    EXPECT_EQ(pooling_named("effect+cause").columns(counts), counts.causes + counts.effects);
    // Paderborn has two currents and one vibration.
    EXPECT_EQ(pooling_named("effect+cause").columns({.causes = 256, .effects = 128, .cause = 128}), 384);
    EXPECT_EQ(pooling_named("effect+mean-cause").columns({.causes = 256, .effects = 128, .cause = 128}), 256);
}

TEST(Pooling, ComesBackFromAFileWithTheSameBits) {
    for (const std::string_view name : recipe::kPoolings) {
        const Pooling pooling(std::string(name), windows());
        io::Safetensors file;
        Archive archive(file, "test");
        pooling.save(archive);
        const Pooling loaded(std::string(name), archive, {2 * 16, 3 * 16, 16});
        EXPECT_EQ(loaded.name(), name);
        EXPECT_EQ(loaded(windows()).values, pooling(windows()).values) << name;
    }
}

TEST(Pooling, RefusesWhatItDoesNotKnow) {
    test::expect_input_error([] { pooling_named("mean+sdt"); }, {"mean+sdt", "did you mean mean+std?"});
    test::expect_input_error([] { Pooling("median", windows()); }, {"median", "cause-encoder"});
}

}  // namespace
}  // namespace cmr::score
