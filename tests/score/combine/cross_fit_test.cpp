#include "score/combine/cross_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "score/small_plant.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

using test::kPlantLength;
using test::SmallPlant;

const ScorerKind* const kRawKnn[] = {&scorer_named("raw-knn")};

const SmallPlant& plant() {
    static const SmallPlant plant([](recipe::Recipe& recipe) { recipe.score.k = 1; });
    return plant;
}

std::vector<int64_t> every_row(const Healthy& healthy) {
    std::vector<int64_t> out(healthy.windows.size());
    std::iota(out.begin(), out.end(), 0);
    return out;
}

void make_peculiar(Healthy& healthy, int64_t row) {
    for (float& value : healthy.features.effects.row(row)) value = 50;
}

TEST(CrossFit, CutsRowsIntoContiguousBlocks) {
    Healthy healthy = plant().healthy();
    healthy.windows.resize(10);
    EXPECT_THAT(blocks_of(healthy), testing::ElementsAre(testing::ElementsAre(0, 1), testing::ElementsAre(2, 3, 4),
                                                         testing::ElementsAre(5, 6), testing::ElementsAre(7, 8, 9)));
}

// What is tested on machines or files that it does not know is judged so.
TEST(CrossFit, LeavesOutWholeMachinesOrFilesWhereThoseAreTested) {
    data::Dataset dataset = plant().dataset;
    dataset.recordings.assign(6, dataset.recordings.front());
    const std::vector<std::string> units = {"A", "B", "A", "C", "B", "A"};
    recipe::Recipe recipe = plant().recipe;
    recipe.score.blocks = 5;
    Healthy healthy{dataset, recipe, plant().preprocessing, {}, {}, {}};
    for (int32_t i = 0; i < 6; ++i) {
        dataset.recordings[i].unit = units[i];
        dataset.recordings[i].name = "file " + std::to_string(i);
        healthy.windows.push_back({.recording = i, .begin = 0});
        healthy.windows.push_back({.recording = i, .begin = 64});
    }
    recipe.split.kind = "leave-units-out";
    EXPECT_THAT(blocks_of(healthy), testing::ElementsAre(testing::ElementsAre(0, 1, 4, 5, 10, 11),
                                                         testing::ElementsAre(2, 3, 8, 9), testing::ElementsAre(6, 7)));
    recipe.split.kind = "by-file";
    const auto files = blocks_of(healthy);
    ASSERT_EQ(files.size(), 5u);
    for (const auto& rows : files) EXPECT_EQ(rows.size() % 2, 0u) << "a file stays whole";
    for (data::Recording& recording : dataset.recordings) recording.unit = "A";
    recipe.split.kind = "leave-units-out";
    EXPECT_EQ(blocks_of(healthy).size(), 5u) << "of one machine stretches of time";
}

TEST(CrossFit, NoWindowIsJudgedByItself) {
    Healthy healthy = plant().healthy();
    const int64_t row = healthy.features.rows() / 2;
    make_peculiar(healthy, row);
    const Matrix scores = cross_fit(healthy, every_row(healthy), kRawKnn).scores;
    EXPECT_GT(scores.row(row)[0], 400);  // 96 samples, each near 50: about 490
    for (int64_t i = 0; i < scores.rows; ++i) {
        EXPECT_GT(scores.row(i)[0], 0) << "row " << i;
        if (i != row) {
            EXPECT_LT(scores.row(i)[0], 100) << "row " << i;
        }
    }
}

// Two of the same peculiar kind in one block do not excuse each other, nor does one beyond the block's edge that
// overlaps it; one that does not overlap does.
TEST(CrossFit, NoWindowIsJudgedByWindowsThatOverlapItsBlock) {
    const Healthy before = plant().healthy();
    const int64_t first = blocks_of(before)[1].front();
    ASSERT_EQ(before.windows[first].begin - before.windows[first - 1].begin, kPlantLength / 2);
    const auto score_beside = [&](int64_t other) {
        Healthy healthy = before;
        make_peculiar(healthy, first);
        make_peculiar(healthy, other);
        return cross_fit(healthy, every_row(healthy), kRawKnn).scores.row(first)[0];
    };
    EXPECT_GT(score_beside(first + 1), 400);
    EXPECT_GT(score_beside(first - 1), 400);  // shares 16 samples
    EXPECT_LT(score_beside(first - 2), 100);  // touches
}

TEST(CrossFit, IsWhatAFitOnTheOtherBlocksGives) {
    const Healthy healthy = plant().healthy();
    const ScorerKind* const kinds[] = {&scorer_named("lagged"), &scorer_named("readout")};
    const Matrix scores = cross_fit(healthy, every_row(healthy), kinds).scores;
    const std::vector<int64_t> block = blocks_of(healthy)[0];
    Healthy rest{healthy.dataset, healthy.recipe, healthy.preprocessing, healthy.coupled, {}, {}};
    std::vector<int64_t> rows;
    for (int64_t i = block.back() + 2; i < healthy.features.rows(); ++i) {  // the next one overlaps
        rows.push_back(i);
        rest.windows.push_back(healthy.windows[i]);
    }
    rest.features = healthy.features.chosen(rows);
    for (size_t k = 0; k < 2; ++k) {
        const std::vector<float> expected = kinds[k]->fit(rest)->judge(healthy.features.chosen(block)).scores;
        for (size_t i = 0; i < block.size(); ++i) EXPECT_EQ(scores.row(block[i])[k], expected[i]);
    }
}

// All windows are judged; those between the fitted ones excuse none.
TEST(CrossFit, FitsOnTheFittedRowsAlone) {
    Healthy healthy = plant().healthy();
    std::vector<int64_t> fitted = every_row(healthy);
    const int64_t twin = blocks_of(healthy)[2].front(), peculiar = blocks_of(healthy)[0].front();
    make_peculiar(healthy, peculiar);
    make_peculiar(healthy, twin);
    EXPECT_LT(cross_fit(healthy, fitted, kRawKnn).scores.row(peculiar)[0], 100);
    std::erase(fitted, twin);
    const Matrix scores = cross_fit(healthy, fitted, kRawKnn).scores;
    EXPECT_EQ(scores.rows, std::ssize(healthy.windows));
    EXPECT_GT(scores.row(peculiar)[0], 400);
    EXPECT_LT(scores.row(twin)[0], 100) << "its twin is fitted";
}

TEST(CrossFit, NeedsEnoughWindows) {
    const SmallPlant few([](recipe::Recipe& recipe) { recipe.score.blocks = 100; });
    test::expect_input_error([&] { cross_fit(few.healthy(), every_row(few.healthy()), kRawKnn); },
                             {"healthy windows", "200", "100 blocks"});
}

}  // namespace
}  // namespace cmr::score
