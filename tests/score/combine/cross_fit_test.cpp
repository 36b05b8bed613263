#include "score/combine/cross_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

void make_peculiar(Healthy& healthy, int64_t row) {
    for (float& value : healthy.features.effects.row(row)) value = 50;
}

TEST(CrossFit, CutsRowsIntoContiguousBlocks) {
    EXPECT_THAT(rows_of_block(10, 0, 3), testing::ElementsAre(0, 1, 2));
    EXPECT_THAT(rows_of_block(10, 1, 3), testing::ElementsAre(3, 4, 5));
    EXPECT_THAT(rows_of_block(10, 2, 3), testing::ElementsAre(6, 7, 8, 9));
}

TEST(CrossFit, NoWindowIsJudgedByItself) {
    Healthy healthy = plant().healthy();
    const int64_t row = healthy.features.rows() / 2;
    make_peculiar(healthy, row);
    const Matrix scores = cross_fit(healthy, kRawKnn).front().scores;
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
    const int64_t first = rows_of_block(before.features.rows(), 1, 4).front();
    ASSERT_EQ(before.windows[first].begin - before.windows[first - 1].begin, kPlantLength / 2);
    const auto score_beside = [&](int64_t other) {
        Healthy healthy = before;
        make_peculiar(healthy, first);
        make_peculiar(healthy, other);
        return cross_fit(healthy, kRawKnn).front().scores.row(first)[0];
    };
    EXPECT_GT(score_beside(first + 1), 400);
    EXPECT_GT(score_beside(first - 1), 400);  // shares 16 samples
    EXPECT_LT(score_beside(first - 2), 100);  // touches
}

TEST(CrossFit, JudgesOtherWindowsByTheScorersOfTheirRow) {
    const Healthy healthy = plant().healthy();
    std::vector<const ScorerKind*> kinds;
    for (const ScorerKind& kind : scorer_kinds())
        if (kind.possible_with(plant().network)) kinds.push_back(&kind);
    Features changed = healthy.features;
    const int64_t row = 20;
    changed.effects.row(row)[5] += 3;
    const std::vector<Features> others = {healthy.features, changed};
    // Of a block in turn, of which a row here and there is made.
    std::vector<int64_t> made;
    for (int64_t i = 0; i < healthy.features.rows(); ++i)
        if (i % 3 != 1) made.push_back(i);
    std::vector<int64_t> first(others.size(), 0);
    const auto rows_of = [&](size_t set, const Features& block, const std::vector<int64_t>& chosen) {
        std::vector<int64_t> rows;
        for (const int64_t i : chosen) rows.push_back(first[set] + i);
        first[set] += block.rows();
        return others[set].chosen(rows);
    };
    const std::vector<CrossFitted> found = cross_fit(healthy, kinds, {others.size(), made, rows_of});
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[1].scores.values, chosen_rows(found[0].scores, made).values);
    const int64_t at = std::ranges::find(made, row) - made.begin();
    for (size_t k = 0; k < kinds.size(); ++k) {
        EXPECT_EQ(found[0].by_channel[k].columns, kinds[k]->parts ? 3 : 0) << kinds[k]->name;
        if (kinds[k]->parts) {
            EXPECT_EQ(found[1].by_channel[k].values, chosen_rows(found[0].by_channel[k], made).values)
                << kinds[k]->name;
        }
        for (int64_t i = 0; i < std::ssize(made); ++i)
            EXPECT_TRUE(i == at || found[2].scores.row(i)[k] == found[0].scores.row(made[i])[k]);
    }
    const auto lagged = std::ranges::find(kinds, &scorer_named("lagged")) - kinds.begin();
    EXPECT_GT(found[2].scores.row(at)[lagged], found[0].scores.row(row)[lagged]);
}

TEST(CrossFit, IsWhatAFitOnTheOtherBlocksGives) {
    const Healthy healthy = plant().healthy();
    const ScorerKind* const kinds[] = {&scorer_named("lagged"), &scorer_named("readout")};
    const Matrix scores = cross_fit(healthy, kinds).front().scores;
    const std::vector<int64_t> block = rows_of_block(healthy.features.rows(), 0, 4);
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

TEST(CrossFit, NeedsEnoughWindows) {
    const SmallPlant few([](recipe::Recipe& recipe) { recipe.score.blocks = 100; });
    test::expect_input_error([&] { cross_fit(few.healthy(), kRawKnn); }, {"healthy windows", "200", "100 blocks"});
}

}  // namespace
}  // namespace cmr::score
