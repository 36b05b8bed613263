#include "score/scorers/kept_bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::score {
namespace {

using test::random_matrix;

double distance(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i)
        sum += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    return std::sqrt(sum);
}

TEST(SpreadRows, KeepsWhatIsRareAndOneOfManyCopies) {
    Matrix rows(100, 2);  // near the origin, but for two
    for (int64_t i = 0; i < 100; ++i) rows.row(i)[0] = 0.001f * static_cast<float>(i % 7);
    rows.row(41)[1] = 9;
    rows.row(77)[0] = -5;
    EXPECT_EQ(spread_rows(rows, 3), (std::vector<int64_t>{0, 41, 77}));
    EXPECT_EQ(spread_rows(rows, 100).size(), 100u);
    const std::vector<int64_t> most = spread_rows(rows, 99);
    EXPECT_EQ(std::ranges::adjacent_find(most), most.end()) << "no row twice, even of copies";
}

TEST(SpreadRows, EveryRowHasOneNearItAmongTheChosen) {
    const Matrix rows = random_matrix(400, 3, 1);
    const std::vector<int64_t> chosen = spread_rows(rows, 60);
    const auto to_chosen = [&](int64_t row, int64_t but) {
        double least = 1e9;
        for (const int64_t other : chosen)
            if (other != but) least = std::min(least, distance(rows.row(row), rows.row(other)));
        return least;
    };
    double farthest = 0, closest = 1e9;
    for (int64_t i = 0; i < rows.rows; ++i) farthest = std::max(farthest, to_chosen(i, -1));
    for (const int64_t row : chosen) closest = std::min(closest, to_chosen(row, row));
    EXPECT_LE(farthest, closest);  // else the farthest would have been chosen
}

TEST(SpreadRows, OfLongRowsGoesByProjections) {
    Matrix rows = random_matrix(300, 500, 1);
    for (const int64_t rare : {7, 120, 299})
        for (float& value : rows.row(rare)) value *= 5;
    const std::vector<int64_t> chosen = spread_rows(rows, 20);
    EXPECT_EQ(chosen.size(), 20u);
    for (const int64_t rare : {7, 120, 299}) EXPECT_TRUE(std::ranges::binary_search(chosen, rare)) << rare;
    EXPECT_EQ(spread_rows(rows, 20), chosen);
}

TEST(KeptBank, HasRowsOfTheBankUpToTheCap) {
    const Matrix rows = random_matrix(230, 10, 1);
    const KeptBank some(rows, Metric::l2, 2000), least(rows, Metric::l2, 5), all(rows, Metric::l2, 2300);
    EXPECT_EQ(some.search().rows(), 200);
    EXPECT_EQ(some.chosen(), spread_rows(rows, 200));
    EXPECT_EQ(least.search().rows(), kFewestBankRows);
    EXPECT_EQ(all.search().rows(), 230);
    EXPECT_NE(all.search().vectors().values, rows.values) << "in steps";
    EXPECT_EQ(KeptBank(rows, Metric::l2, KeptBank::kExact).search().vectors().values, rows.values);
}

TEST(KeptBank, ComesBackFromAFileWithTheSameBits) {
    const Matrix rows = random_matrix(40, 7, 1), queries = random_matrix(9, 7, 2);
    for (const Metric metric : {Metric::l2, Metric::cosine})
        for (const int64_t most : {KeptBank::kExact, kMostWindowNumbers}) {
            const KeptBank fitted(rows, metric, most);
            io::Safetensors file;
            Archive archive(file, "test");
            fitted.save(archive);
            const KeptBank loaded(archive, metric, 7);
            EXPECT_EQ(loaded.search().score(queries, 3), fitted.search().score(queries, 3));
            test::expect_input_error([&] { KeptBank(archive, metric, 6); }, {"test"});
        }
}

TEST(KeptBank, ScoresAlmostAsTheExactOne) {
    const Matrix rows = random_matrix(300, 10, 1), queries = random_matrix(50, 10, 2);
    const auto kept = KeptBank(rows, Metric::l2, kMostWindowNumbers).search().score(queries, 5);
    const auto exact = KeptBank(rows, Metric::l2, KeptBank::kExact).search().score(queries, 5);
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(kept[i], exact[i], 0.01 * exact[i]);
}

TEST(KeptBank, IsExactUnderThePapersProtocol) {
    recipe::Recipe recipe;
    recipe.split.protocol = "strict";
    EXPECT_EQ(bank_limit(recipe, 7), 7);
    recipe.split.protocol = "paper";
    EXPECT_EQ(bank_limit(recipe, 7), KeptBank::kExact);
}

TEST(KeptBank, StepsAreWithinHalfAStepAndStayTheSecondTime) {
    Matrix rows = random_matrix(200, 5, 1);
    for (int64_t i = 0; i < 200; ++i) rows.row(i)[3] = 7.1f, rows.row(i)[4] = 1e30f * rows.row(i)[4];
    const Steps steps = to_steps(rows);
    EXPECT_EQ(steps.steps.size(), 1000u);
    const Matrix back = from_steps(steps);
    for (int64_t i = 0; i < 200; ++i)
        for (int64_t c = 0; c < 5; ++c) {
            const double step = (static_cast<double>(steps.largest[c]) - steps.least[c]) / 255;
            EXPECT_NEAR(back.row(i)[c], rows.row(i)[c], 0.501 * step);
        }
    EXPECT_EQ(to_steps(back).steps, steps.steps);
    EXPECT_EQ(from_steps(to_steps(back)).values, back.values);
}

}  // namespace
}  // namespace cmr::score
