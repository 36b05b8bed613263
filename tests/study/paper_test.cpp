// The paper's fold table of the Paderborn bearings, and what the paper makes of it.

#include <gmock/gmock.h>

#include "eval/wilcoxon.h"
#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study {
namespace {

using test::cell_of;
using test::find_table;
using testing::HasSubstr;

constexpr const char* kMethods[] = {"cmr", "usad", "vae", "ae", "svdd"};
// AUROC of k-NN, a row per fold: of cmr the mean over three runs.
constexpr double kFolds[15][5] = {
    {0.8913, 0.8922, 0.8987, 0.8898, 0.6826}, {0.9950, 0.9034, 0.9122, 0.8830, 0.6845},
    {0.9430, 0.9415, 0.9033, 0.8646, 0.6564}, {0.9418, 0.9042, 0.8906, 0.8548, 0.6361},
    {0.8823, 0.8153, 0.6849, 0.7426, 0.6776}, {0.8909, 0.8758, 0.9018, 0.8838, 0.7045},
    {0.8124, 0.8970, 0.8646, 0.8501, 0.6508}, {0.7316, 0.9053, 0.8124, 0.8065, 0.6149},
    {0.8434, 0.8770, 0.8991, 0.8836, 0.6352}, {0.9470, 0.9188, 0.9191, 0.9276, 0.6464},
    {0.9370, 0.8884, 0.9005, 0.9176, 0.6262}, {0.9827, 0.9077, 0.8805, 0.8779, 0.6636},
    {0.5561, 0.7371, 0.8409, 0.8068, 0.7930}, {0.9128, 0.9191, 0.8859, 0.8972, 0.6329},
    {0.9370, 0.8930, 0.9100, 0.9253, 0.6465},
};

std::vector<double> column(size_t method) {
    std::vector<double> out;
    for (const auto& fold : kFolds) out.push_back(fold[method]);
    return out;
}

// Three runs of each fold, which differ and have the mean of the table.
test::SmallRun three_runs(const std::string& protocol) {
    test::SmallRun run;
    Experiment& e = run.add_experiment("pu", {kMethods, kMethods + 5}, {1, 2, 3});
    e.spread = "folds";
    for (int64_t seed = 1; seed <= 3; ++seed)
        for (int64_t fold = 0; fold < 15; ++fold)
            for (size_t m = 0; m < 5; ++m) {
                const double away = 0.04 * static_cast<double>(seed - 2) * (m == 0 ? 1 : -1);
                Result r = test::make_result("pu", kMethods[m], seed, fold, {{"knn", kFolds[fold][m] + away}});
                r.protocol = protocol;
                run.add(std::move(r));
            }
    return run;
}

TEST(PaperNumbers, WilcoxonsTestGivesItsProbabilities) {
    const double published[] = {0, 0.64, 0.52, 0.25, 0.001};
    const double digits[] = {0, 0.005, 0.005, 0.005, 0.0005};
    for (size_t m = 1; m < 5; ++m)
        EXPECT_NEAR(eval::wilcoxon_signed_rank(column(0), column(m)).p_value, published[m], digits[m]) << kMethods[m];
}

TEST(PaperNumbers, ItsTestIsOfFoldsAndNotOfRuns) {
    const ResultTable t = find_table(make_tables(three_runs("paper").outcome()), "pu-against-knn");
    EXPECT_EQ(cell_of(t, "usad knn", "p"), "0.64");
    EXPECT_EQ(cell_of(t, "vae knn", "p"), "0.52");
    EXPECT_EQ(cell_of(t, "ae knn", "p"), "0.25");
    EXPECT_EQ(cell_of(t, "svdd knn", "p"), "0.0012");
    EXPECT_EQ(cell_of(t, "usad knn", "pairs"), "15");
    EXPECT_EQ(cell_of(t, "usad knn", "cmr better in"), "9");
    EXPECT_EQ(cell_of(t, "svdd knn", "cmr better in"), "14");
    EXPECT_THAT(t.note, HasSubstr("Pairs are folds, each the mean over its seeds; with 15 of them"));
    const ResultTable strict = find_table(make_tables(three_runs("strict").outcome()), "pu-against-knn");
    EXPECT_EQ(cell_of(strict, "usad knn", "pairs"), "45");
    EXPECT_THAT(strict.note, HasSubstr("Pairs are fits of the same seed and fold"));
}

TEST(PaperNumbers, ItsDeviationIsThatOfThePopulation) {
    const ResultTable t = find_table(make_tables(three_runs("paper").outcome()), "leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "pu"), "0.880 ± 0.109");  // 0.1085
    EXPECT_EQ(cell_of(t, "svdd knn", "pu"), "0.663 ± 0.042");
    EXPECT_THAT(t.note, HasSubstr("mean ± population deviation over folds"));
    const ResultTable strict = find_table(make_tables(three_runs("strict").outcome()), "leaderboard");
    EXPECT_EQ(cell_of(strict, "cmr knn", "pu"), "0.880 ± 0.112");  // 0.1124
    EXPECT_THAT(strict.note, HasSubstr("mean ± deviation over folds"));
}

}  // namespace
}  // namespace cmr::study
