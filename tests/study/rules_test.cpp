#include "study/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "eval/ranking.h"
#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study {
namespace {

using test::cell_of;
using test::find_table;
using test::make_result;
using test::SmallRun;

// Log-normal voices; the first of each row times `factor`.
Matrix voices(int64_t rows, double factor, uint64_t seed) {
    Matrix out(rows, 3);
    Rng rng(seed);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < 3; ++k)
            out.row(i)[k] = static_cast<float>(std::exp(0.3 * rng.normal()) * (k == 0 ? factor : 1));
    return out;
}

double auroc_by(const Rule& rule, double factor) {
    const Matrix healthy = voices(300, 1, 1);
    std::vector<double> scores = rule.join(healthy, voices(200, 1, 2));
    const std::vector<double> faulty = rule.join(healthy, voices(200, factor, 3));
    scores.insert(scores.end(), faulty.begin(), faulty.end());
    std::vector<uint8_t> labels(200, 0);
    labels.resize(400, 1);
    return eval::auroc(scores, labels);
}

TEST(Rules, EachTellsAFaultThatOneVoiceSees) {
    for (const Rule& rule : rules()) {
        EXPECT_GT(auroc_by(rule, 6), 0.98) << rule.name;
        EXPECT_NEAR(auroc_by(rule, 1), 0.5, 0.06) << rule.name;
        EXPECT_FALSE(rule.what.empty());
    }
    EXPECT_EQ(rules().front().name, kFloor);
}

TEST(Rules, BearNothingAndEverything) {
    const Matrix healthy = voices(50, 1, 1);
    Matrix extreme(2, 3);
    extreme.values = {0, 0, 0, 3e38f, 3e38f, 3e38f};
    for (const Rule& rule : rules()) {
        EXPECT_TRUE(rule.join(healthy, Matrix(0, 3)).empty()) << rule.name;
        for (const double score : rule.join(healthy, extreme)) EXPECT_TRUE(std::isfinite(score)) << rule.name;
    }
}

// Healthy voices rise and fall together.
TEST(Rules, CountLowVoicesAsTheirNamesSay) {
    Matrix healthy = voices(300, 1, 1), windows(2, 3);
    Rng rng(4);
    for (int64_t i = 0; i < healthy.rows; ++i) {
        const auto together = static_cast<float>(std::exp(0.6 * rng.normal()));
        for (float& value : healthy.row(i)) value *= together;
    }
    windows.values = {1, 1, 1e-3f, 1e-3f, 1e-3f, 1e-3f};
    const auto by = [&](std::string_view name) {
        return std::ranges::find(rules(), name, &Rule::name)->join(healthy, windows);
    };
    // What is low together with all others says nothing; what is low alone makes the others loud, as far as it counts.
    EXPECT_EQ(by("white sum")[1], 0);
    EXPECT_GT(by("no least")[0], by("white largest")[0] + 0.1);
    EXPECT_GT(by("white largest")[0], by("least -1")[0] + 0.1);
}

// Three datasets; rule 1 is best on the first two, rule 2 on the third by far.
SmallRun three_sets() {
    SmallRun run;
    const std::vector<std::vector<double>> aurocs = {
        {0.70, 0.90, 0.80}, {0.70, 0.90, 0.85}, {0.70, 0.60, 0.95}};  // the others have 0.70
    for (size_t set = 0; set < aurocs.size(); ++set) {
        const std::string name = "set" + std::to_string(set);
        run.add_experiment(name, {"cmr"}, {1}).recipe = name;
        Result result =
            make_result(name, "cmr", 1, 0, {{"lagged", 0.8}, {"pca", 0.7}, {"knn", 0.99}, {"combined", 0.75}});
        result.scores[0].weight = result.scores[1].weight = 1;
        result.scores[2].weight = 0;
        for (size_t i = 0; i < rules().size(); ++i)
            result.rules.push_back({std::string(rules()[i].name), i < aurocs[set].size() ? aurocs[set][i] : 0.7});
        run.add(std::move(result));
    }
    return run;
}

TEST(LeftOut, ShowsTheRuleThatTheOthersChoose) {
    const ResultTable t = find_table(make_tables(three_sets().outcome()), "left-out");
    // The mean over the other two: 0.75 and 0.90; 0.75 and 0.875; 0.90 and 0.825.
    EXPECT_EQ(cell_of(t, "set0", "rule chosen without it"), "0.800 (largest)");
    EXPECT_EQ(cell_of(t, "set1", "rule chosen without it"), "0.850 (largest)");
    EXPECT_EQ(cell_of(t, "set2", "rule chosen without it"), "0.600 (sum of evidence)");
    EXPECT_EQ(cell_of(t, "mean", "rule chosen without it"), "0.750");
    EXPECT_EQ(cell_of(t, "set0", "floor"), "0.700");
    EXPECT_EQ(cell_of(t, "set0", "best single voice"), "0.800 (lagged)") << "k-NN does not count";
    EXPECT_EQ(cell_of(t, "mean", "combined"), "0.750");
}

TEST(LeftOut, ShowsTheControlThatTheOthersChoose) {
    SmallRun run = three_sets();
    // `pca` is best on the last alone, where `lagged` has 0.3.
    std::vector<ScoreResult>& last = run.results.at("set2-cmr-s1-f0").scores;
    last[0].auroc = 0.3;
    const ResultTable t = find_table(make_tables(run.outcome()), "left-out");
    EXPECT_EQ(cell_of(t, "set0", "control chosen without it"), "0.700 (pca)");
    EXPECT_EQ(cell_of(t, "set2", "control chosen without it"), "0.300 (lagged)");
    EXPECT_EQ(cell_of(t, "mean", "control chosen without it"), "0.567");
}

// Rules are measured on the faults of the experiment's stratum, so what stands beside them is of the same.
TEST(LeftOut, OfAStratumIsOfItAlone) {
    SmallRun run = three_sets();
    run.plan.experiments[0].stratum = "weak";
    for (ScoreResult& score : run.results.begin()->second.scores) score.strata = {{"weak", 5, score.auroc - 0.25}};
    const ResultTable t = find_table(make_tables(run.outcome()), "left-out");
    EXPECT_EQ(cell_of(t, "set0", "best single voice"), "0.550 (lagged)");
    EXPECT_EQ(cell_of(t, "set0", "combined"), "0.500");
    EXPECT_EQ(cell_of(t, "set1", "combined"), "0.750");
}

// Two experiments on the same data are left out together.
TEST(LeftOut, TheSameDataDoNotVouchForThemselves) {
    SmallRun run = three_sets();
    run.plan.experiments[1].recipe = "set0";
    const ResultTable t = find_table(make_tables(run.outcome()), "left-out");
    EXPECT_EQ(cell_of(t, "set0", "rule chosen without it"), "0.800 (largest)");
    run.plan.experiments[2].recipe = "set0";
    EXPECT_EQ(cell_of(find_table(make_tables(run.outcome()), "left-out"), "set0", "rule chosen without it"), "–");
}

TEST(LeftOut, NeedsMoreThanOneSetAndResultsThatHaveRules) {
    SmallRun run = three_sets();
    run.results.begin()->second.rules.clear();
    const ResultTable t = find_table(make_tables(run.outcome()), "left-out");
    EXPECT_EQ(t.rows.size(), 3u) << "two and their mean";
    for (auto& [id, result] : run.results) result.rules.clear();
    for (const ResultTable& table : make_tables(run.outcome())) EXPECT_NE(table.name, "left-out");
}

}  // namespace
}  // namespace cmr::study
