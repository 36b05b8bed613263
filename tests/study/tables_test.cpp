#include "study/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "eval/wilcoxon.h"
#include "study/small_run.h"

namespace cmr::study {
namespace {

using test::cell_of;
using test::find_table;
using test::has_row;
using test::make_result;
using test::SmallRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Two methods, two seeds, two folds. The grid of a fit whose k-NN has an AUROC of v (std pooling, k = 5):
//         k = 1      k = 5
//   std   v − 0.03   v
//   mean  v + 0.01   v − 0.005
struct Tables : testing::Test {
    Tables() {
        Experiment& e = run.add_experiment("plant", {"cmr", "ae"}, {1, 2});
        e.stealthy = {95};
        e.poolings = {"std", "mean"};
        e.ks = {1, 5};
        e.metrics = {"l2"};
        e.axis = {{.key = "model.stop_gradient", .values = {"true", "false"}, .seeds = {}, .folds = {}}};
        //   seed fold knn   residual learned combined marginal lagged
        cmr(1, 0, {0.90, 0.70, 0.91, 0.95, 0.60, 0.93});
        cmr(1, 1, {0.80, 0.70, 0.83, 0.93, 0.60, 0.93});
        cmr(2, 0, {0.94, 0.80, 0.95, 0.97, 0.60, 0.93});
        cmr(2, 1, {0.88, 0.80, 0.91, 0.95, 0.60, 0.93});
        //        native knn
        ae(1, 0, {0.50, 0.70});
        ae(1, 1, {0.60, 0.80});
        ae(2, 0, {0.52, 0.74});
        ae(2, 1, {0.62, 0.84});
        // Without the stop-gradient, on the first fold.
        for (int64_t seed = 1; seed <= 2; ++seed)
            run.add(make_result("plant", "cmr", seed, 0, {{"knn", 0.85}, {"residual", 0.77}, {"combined", 0.9}}),
                    "model.stop_gradient", "false");
    }

    void cmr(int64_t seed, int64_t fold, const std::vector<double>& auroc) {
        const std::vector<std::string> names = {"knn", "residual", "mechanism", "combined", "marginal", "lagged"};
        test::Scores scores;
        for (size_t i = 0; i < names.size(); ++i) scores.emplace_back(names[i], auroc[i]);
        Result r = make_result("plant", "cmr", seed, fold, scores);
        r.fold_name = fold == 0 ? "day" : "night";
        for (ScoreResult& score : r.scores) score.stealth = {{95, 5, 15, score.auroc - 0.1, score.auroc + 0.02}};
        r.scores[1].stealth[0].stealthy = 0.8;
        r.scores[4].stealth[0].stealthy = kNone;
        const double v = auroc[0];
        for (const auto& [pooling, k, value] :
             {std::tuple("std", 1, v - 0.03), {"std", 5, v}, {"mean", 1, v + 0.01}, {"mean", 5, v - 0.005}})
            r.grid.push_back(
                {pooling, "l2", k, value, {{"leak", 12, value + test::kLeak}, {"drift", 8, value + test::kDrift}}});
        run.add(std::move(r));
        // The axis at the recipe's own value shares the cell.
        run.plan.uses.push_back(
            {"plant", "model.stop_gradient", "true", "cmr", seed, fold, std::ssize(run.plan.cells) - 1});
    }
    void ae(int64_t seed, int64_t fold, const std::vector<double>& auroc) {
        Result r = make_result("plant", "ae", seed, fold, {{"native", auroc[0]}, {"knn", auroc[1]}});
        r.fold_name = fold == 0 ? "day" : "night";
        r.fit_seconds = 4;
        r.scores[0].stealth = {{95, 5, 15, 0.6, 0.7}};
        r.scores[1].stealth = {{95, 5, 15, 0.795, 0.7}};
        run.add(std::move(r));
    }

    ResultTable table(const std::string& name) const { return find_table(make_tables(run.outcome()), name); }

    SmallRun run;
};

TEST_F(Tables, AreAllThereAndWhole) {
    std::set<std::string> names;
    for (const ResultTable& t : make_tables(run.outcome())) {
        EXPECT_TRUE(names.insert(t.name).second) << t.name << " twice";
        EXPECT_FALSE(t.title.empty()) << t.name;
        for (const ResultTable::Row& row : t.rows)
            EXPECT_EQ(row.cells.size(), t.columns.size()) << t.name << ", " << row.name;
    }
    EXPECT_THAT(names, testing::UnorderedElementsAre("verdict", "claims", "leaderboard", "scoring", "plant-strata",
                                                     "plant-hardest", "plant-stealthy", "plant-folds", "plant-seeds",
                                                     "plant-f1", "plant-cmr-stop-gradient", "plant-k",
                                                     "plant-cmr-poolings", "plant-against-knn",
                                                     "plant-against-combined", "plant-coverage", "plant-cost"));
}

TEST_F(Tables, OfNothingAreNone) {
    run.results.clear();
    for (const ResultTable& t : make_tables(run.outcome()))
        for (const ResultTable::Row& row : t.rows)
            for (const std::string& cell : row.cells) EXPECT_EQ(cell, "–") << t.name << ", " << row.name;
}

TEST_F(Tables, LeaderboardHasMeansAndDeviationsOverSeeds) {
    const ResultTable t = table("leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "plant"), "0.880 ± 0.042");
    EXPECT_EQ(cell_of(t, "cmr residual", "plant"), "0.750 ± 0.071");
    EXPECT_EQ(cell_of(t, "cmr combined", "plant"), "0.950 ± 0.014");
    EXPECT_EQ(cell_of(t, "ae native", "plant"), "0.560 ± 0.014");
    EXPECT_EQ(cell_of(t, "ae knn", "plant"), "0.770 ± 0.028");
    EXPECT_EQ(cell_of(t, "control lagged", "plant"), "0.930 ± 0.000");
    EXPECT_THAT(t.note, HasSubstr("plant: mean ± deviation over seeds"));
    EXPECT_EQ(t.title, "AUROC of every method and score, protocol strict");
}

TEST_F(Tables, EachKindOfFaultIsHeldAgainstItsBestControl) {
    const ResultTable t = table("plant-hardest");
    ASSERT_EQ(t.rows.size(), 2u);
    const ResultTable strata = table("plant-strata");
    EXPECT_EQ(cell_of(t, "leak", "cmr combined"), cell_of(strata, "cmr combined", "leak"));
    EXPECT_EQ(cell_of(t, "leak", "best control"), cell_of(strata, "control lagged", "leak") + " (lagged)");
    EXPECT_EQ(cell_of(t, "leak", "combined less best control"), "+0.020");
}

TEST_F(Tables, SummariesNeverMixProtocols) {
    run.plan.experiments.push_back(run.plan.experiments[0]);
    run.plan.experiments[1].name = "mill";
    Result r = test::make_result("mill", "cmr", 1, 0, {{"knn", 0.7}});
    r.protocol = "paper";
    run.add(std::move(r));
    const std::vector<ResultTable> all = make_tables(run.outcome());
    const ResultTable strict = find_table(all, "leaderboard-strict"), paper = find_table(all, "leaderboard-paper");
    EXPECT_EQ(strict.columns, std::vector<std::string>{"plant"});
    EXPECT_EQ(paper.columns, std::vector<std::string>{"mill"});
    EXPECT_EQ(paper.title, "AUROC of every method and score, protocol paper");
    EXPECT_EQ(cell_of(paper, "cmr knn", "mill"), "0.700");
    EXPECT_EQ(find_table(all, "verdict-paper").rows.size(), 1u);
}

TEST_F(Tables, LeaderboardHasDeviationsOverFoldsWhereTheStudySaysSo) {
    run.plan.experiments[0].spread = "folds";
    const ResultTable t = table("leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "plant"), "0.880 ± 0.057");
    EXPECT_EQ(cell_of(t, "cmr residual", "plant"), "0.750 ± 0.000");
    EXPECT_THAT(t.note, HasSubstr("mean ± deviation over folds"));
}

TEST_F(Tables, SayWhatTheDeviationsAreOver) {
    // One seed: whatever the study says, only folds are left.
    std::erase_if(run.results, [](const auto& r) { return r.second.seed == 2; });
    std::erase_if(run.plan.uses, [](const Use& use) { return use.seed == 2; });
    run.plan.experiments[0].seeds = {1};
    ResultTable t = table("leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "plant"), "0.850 ± 0.071");
    EXPECT_THAT(t.note, HasSubstr("deviation over folds"));
    EXPECT_THAT(t.note, Not(HasSubstr("deviation over seeds")));
    // One fold: only seeds are.
    SmallRun other;
    other.add_experiment("plant", {"cmr"}, {1, 2}).spread = "folds";
    other.add(make_result("plant", "cmr", 1, 0, {{"knn", 0.8}}));
    other.add(make_result("plant", "cmr", 2, 0, {{"knn", 0.9}}));
    t = find_table(make_tables(other.outcome()), "leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "plant"), "0.850 ± 0.071");
    EXPECT_THAT(t.note, HasSubstr("deviation over seeds"));
}

TEST_F(Tables, SayWhereThereIsNoDeviation) {
    EXPECT_EQ(table("plant-cmr-stop-gradient").note, "mean ± deviation over seeds");
    // The last value is not there yet.
    const std::vector<Use> all = run.plan.uses;
    std::erase_if(run.plan.uses, [](const Use& use) { return use.value == "false"; });
    EXPECT_EQ(table("plant-cmr-stop-gradient").note, "mean ± deviation over seeds");
    run.plan.uses = all;
    std::erase_if(run.plan.uses, [](const Use& use) { return !use.axis.empty() && (use.seed == 2 || use.fold == 1); });
    const ResultTable t = table("plant-cmr-stop-gradient");
    EXPECT_EQ(t.note, "one fit each") << "whatever the study's own rows are over";
    EXPECT_EQ(cell_of(t, "true", "knn"), "0.900");
    EXPECT_THAT(table("leaderboard").note, HasSubstr("deviation over seeds"));
}

TEST_F(Tables, LeaderboardShowsWhatIsMissingAndWhatFailed) {
    run.add_experiment("rig", {"cmr", "ae", "svdd"}, {1, 2});
    run.add_open(make_result("rig", "cmr", 1, 0, {}));
    run.add(make_result("rig", "ae", 1, 0, {{"knn", 0.7}}));
    run.add_failed("rig", "ae", 2, 0, "it learned nothing");
    run.add_failed("rig", "svdd", 1, 0, "too large");
    run.add_failed("rig", "svdd", 2, 0, "too large");
    const ResultTable t = table("leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "rig"), "–") << "not done yet";
    EXPECT_EQ(cell_of(t, "ae knn", "rig"), "0.700 (1 failed)");
    EXPECT_EQ(cell_of(t, "svdd", "rig"), "– (2 failed)") << "a method that never gave a detector is not left out";
    EXPECT_EQ(cell_of(t, "svdd", "plant"), "") << "not asked for";
    const ResultTable failures = table("failures");
    EXPECT_EQ(failures.rows.size(), 3u);
    EXPECT_EQ(cell_of(failures, "rig-ae-s2-f0", "reason"), "it learned nothing");
}

TEST_F(Tables, LeaderboardHasControlsOfExperimentsWithoutCmr) {
    run.add_experiment("rig", {"ae"}, {1});
    run.add(make_result("rig", "ae", 1, 0, {{"knn", 0.7}, {"marginal", 0.65}}));
    const ResultTable t = table("leaderboard");
    EXPECT_EQ(cell_of(t, "control marginal", "plant"), "0.600 ± 0.000");
    EXPECT_EQ(cell_of(t, "control marginal", "rig"), "0.650");
    EXPECT_EQ(cell_of(t, "cmr knn", "rig"), "");
}

TEST_F(Tables, ScoringHasTheDifferenceOfTheSameFits) {
    EXPECT_EQ(table("scoring").rows.size(), 1u) << "cmr's reconstruction was not asked for";
    for (auto& [id, r] : run.results)
        if (const ScoreResult* residual = r.score("residual")) {
            ScoreResult rebuilt = *residual;
            rebuilt.name = "reconstruction";
            r.scores.push_back(std::move(rebuilt));
        }
    const ResultTable t = table("scoring");
    EXPECT_EQ(cell_of(t, "ae", "plant native"), "0.560 ± 0.014");
    EXPECT_EQ(cell_of(t, "ae", "plant k-NN"), "0.770 ± 0.028");
    EXPECT_EQ(cell_of(t, "ae", "plant difference"), "0.210 ± 0.014") << "0.20 with one seed, 0.22 with the other";
    EXPECT_EQ(cell_of(t, "cmr", "plant native"), "0.750 ± 0.071");
    EXPECT_EQ(cell_of(t, "cmr", "plant difference"), "0.130 ± 0.028") << "0.15 and 0.11";
}

TEST_F(Tables, StrataAreApart) {
    const ResultTable t = table("plant-strata");
    EXPECT_THAT(t.columns, ElementsAre("overall", "leak", "drift"));
    EXPECT_EQ(cell_of(t, "cmr knn", "overall"), "0.880 ± 0.042");
    EXPECT_EQ(cell_of(t, "cmr knn", "leak"), "0.900 ± 0.042");
    EXPECT_EQ(cell_of(t, "cmr knn", "drift"), "0.840 ± 0.042");
    EXPECT_THAT(t.title, HasSubstr("protocol strict"));
}

TEST_F(Tables, StealthyFaultsAreApart) {
    const ResultTable t = table("plant-stealthy");
    EXPECT_THAT(t.columns, ElementsAre("stealthy at 95 %", "blunt at 95 %"));
    EXPECT_EQ(cell_of(t, "windows", "stealthy at 95 %"), "10") << "5 in each fold, whatever the seed";
    EXPECT_EQ(cell_of(t, "windows", "blunt at 95 %"), "30");
    EXPECT_EQ(cell_of(t, "cmr knn", "stealthy at 95 %"), "0.780 ± 0.042");
    EXPECT_EQ(cell_of(t, "cmr knn", "blunt at 95 %"), "0.900 ± 0.042");
    EXPECT_EQ(cell_of(t, "ae native", "stealthy at 95 %"), "0.600 ± 0.000");
    EXPECT_EQ(cell_of(t, "control marginal", "stealthy at 95 %"), "–") << "no such window";
}

TEST_F(Tables, AMethodThatLacksAFoldSaysSoAndIsComparedOnTheOthers) {
    std::erase_if(run.results, [](const auto& cell) { return cell.second.method == "cmr" && cell.second.fold == 1; });
    for (auto& [id, r] : run.results)
        if (r.method == "ae" && r.fold == 1)
            for (ScoreResult& score : r.scores) score.stealth[0].stealthy = 1;
    const ResultTable t = table("plant-stealthy");
    EXPECT_EQ(cell_of(t, "windows", "stealthy at 95 %"), "10") << "the fold that cmr lacks is the rival's";
    EXPECT_THAT(t.note, AllOf(HasSubstr("Rows of cmr are of 1 of 2 folds."), Not(HasSubstr("Rows of ae"))));
    EXPECT_THAT(table("claims").rows[3].cells, ElementsAre("2", "1", "1", "0")) << "as with all folds";
}

TEST_F(Tables, OfAStratumSaySoWhereTheyTellOfItAlone) {
    run.plan.experiments[0].stratum = "leak";
    for (const char* name : {"plant-stealthy", "plant-f1", "plant-cmr-poolings"})
        EXPECT_THAT(table(name).title, HasSubstr("faults of stratum \"leak\" (protocol strict)"));
    EXPECT_EQ(table("plant-cmr-poolings").rows[0].cells[0], "0.910 ± 0.042") << "0.890 of all faults";
}

TEST_F(Tables, FoldsHaveTheOracleBesideTheFixedProtocol) {
    const ResultTable t = table("plant-folds");
    EXPECT_EQ(cell_of(t, "0 (day)", "cmr knn"), "0.920 ± 0.028");
    EXPECT_EQ(cell_of(t, "1 (night)", "cmr knn"), "0.840 ± 0.057");
    EXPECT_EQ(cell_of(t, "0 (day)", "cmr k-NN, oracle"), "0.930 ± 0.028") << "mean pooling at k = 1";
    EXPECT_EQ(cell_of(t, "1 (night)", "cmr k-NN, oracle"), "0.850 ± 0.057");
    EXPECT_EQ(cell_of(t, "mean", "cmr knn"), "0.880 ± 0.042");
    EXPECT_EQ(cell_of(t, "mean", "cmr k-NN, oracle"), "0.890 ± 0.042");
    EXPECT_EQ(cell_of(t, "1 (night)", "ae knn"), "0.820 ± 0.028");
    EXPECT_THAT(t.note, HasSubstr("upper bound"));
    const ResultTable seeds = table("plant-seeds");
    EXPECT_EQ(cell_of(seeds, "1", "cmr knn"), "0.850 ± 0.071");
    EXPECT_EQ(cell_of(seeds, "2", "cmr knn"), "0.910 ± 0.042");
}

TEST_F(Tables, TheOracleIsOfTheSameFaultsAsTheRest) {
    run.plan.experiments[0].stratum = "leak";
    ResultTable t = table("plant-folds");
    EXPECT_EQ(cell_of(t, "0 (day)", "cmr knn"), "0.940 ± 0.028");
    EXPECT_EQ(cell_of(t, "0 (day)", "cmr k-NN, oracle"), "0.950 ± 0.028");
    run.plan.experiments[0].stratum = "drift";
    t = table("plant-folds");
    EXPECT_EQ(cell_of(t, "0 (day)", "cmr k-NN, oracle"), "0.890 ± 0.028");
}

TEST_F(Tables, F1IsMarkedWhereItIsInflated) {
    ResultTable t = table("plant-f1");
    EXPECT_THAT(t.columns, ElementsAre("windows", "windows, point-adjusted (inflated)"));
    EXPECT_EQ(cell_of(t, "cmr knn", "windows"), "0.440 ± 0.021");
    EXPECT_THAT(t.note, HasSubstr("oracle"));
    run.plan.experiments[0].pointwise = true;
    for (auto& [id, r] : run.results)
        for (ScoreResult& score : r.scores) score.point_f1 = score.point_adjusted_f1 = kNone;
    t = table("plant-f1");
    EXPECT_EQ(cell_of(t, "cmr knn", "samples"), "–");
}

TEST_F(Tables, AnAxisHasARowPerValue) {
    const ResultTable t = table("plant-cmr-stop-gradient");
    EXPECT_EQ(t.corner, "model.stop_gradient");
    EXPECT_EQ(cell_of(t, "true", "knn"), "0.880 ± 0.042");
    EXPECT_EQ(cell_of(t, "true", "knn leak"), "0.900 ± 0.042");
    EXPECT_EQ(cell_of(t, "false", "knn"), "0.850 ± 0.000");
    EXPECT_EQ(cell_of(t, "false", "mechanism"), "–");
}

TEST_F(Tables, NeighboursAndPoolingsComeFromOneFit) {
    const ResultTable k = table("plant-k");
    EXPECT_EQ(cell_of(k, "5", "cmr, stop-gradient"), "0.880 ± 0.042");
    EXPECT_EQ(cell_of(k, "1", "cmr, stop-gradient"), "0.850 ± 0.042");
    EXPECT_EQ(cell_of(k, "1", "cmr, stop-gradient, drift"), "0.810 ± 0.042");
    EXPECT_EQ(cell_of(k, "1", "cmr, no stop-gradient"), "–") << "it has no grid here";
    EXPECT_EQ(cell_of(k, "1", "ae"), "–");
    const ResultTable poolings = table("plant-cmr-poolings");
    ASSERT_EQ(poolings.rows.size(), 2u);
    EXPECT_EQ(poolings.rows[0].name, "mean") << "the best first";
    EXPECT_THAT(poolings.rows[0].cells, ElementsAre("0.890 ± 0.042", "k = 1, l2"));
    EXPECT_THAT(poolings.rows[1].cells, ElementsAre("0.880 ± 0.042", "k = 5, l2"));
    EXPECT_THAT(poolings.note, HasSubstr("Oracle"));
}

TEST_F(Tables, SignificanceIsWilcoxonsWithHolmsCorrection) {
    const ResultTable t = table("plant-against-knn");
    const std::vector<double> ours = {0.90, 0.80, 0.94, 0.88};
    const std::vector<std::pair<std::string, std::vector<double>>> others = {
        {"cmr residual", {0.70, 0.70, 0.80, 0.80}},   {"cmr mechanism", {0.91, 0.83, 0.95, 0.91}},
        {"cmr combined", {0.95, 0.93, 0.97, 0.95}},   {"ae native", {0.50, 0.60, 0.52, 0.62}},
        {"ae knn", {0.70, 0.80, 0.74, 0.84}},         {"control marginal", {0.60, 0.60, 0.60, 0.60}},
        {"control lagged", {0.93, 0.93, 0.93, 0.93}},
    };
    std::vector<double> p;
    for (const auto& [name, theirs] : others) p.push_back(eval::wilcoxon_signed_rank(ours, theirs).p_value);
    const std::vector<double> corrected = eval::holm(p);
    ASSERT_EQ(t.rows.size(), others.size());
    for (size_t i = 0; i < others.size(); ++i) {
        EXPECT_EQ(t.rows[i].name, others[i].first);
        EXPECT_EQ(cell_of(t, others[i].first, "pairs"), "4");
        EXPECT_EQ(cell_of(t, others[i].first, "p"), fmt::format("{:.2g}", p[i])) << others[i].first;
        EXPECT_EQ(cell_of(t, others[i].first, "p corrected"), fmt::format("{:.2g}", corrected[i])) << others[i].first;
    }
    // Four wins of four: 2 of 16 signs are as one-sided. Times seven questions: 0.875, if it is the least of them.
    EXPECT_EQ(cell_of(t, "control marginal", "p"), "0.12");
    EXPECT_EQ(cell_of(t, "control marginal", "cmr better in"), "4");
    EXPECT_EQ(cell_of(t, "control marginal", "median difference"), "+0.2900") << "of 0.20, 0.28, 0.30, 0.34";
    EXPECT_EQ(cell_of(t, "control lagged", "cmr better in"), "1");
    EXPECT_EQ(cell_of(t, "control lagged", "median difference"), "-0.0400") << "of -0.13, -0.05, -0.03, 0.01";
    EXPECT_THAT(t.note, HasSubstr("with 4 of them no p is below 0.12"));
    EXPECT_THAT(t.note, HasSubstr("for 7 questions"));
}

TEST_F(Tables, SignificancePairsTheSameSeedsAndFolds) {
    run.results.erase("plant-ae-s1-f1");
    const ResultTable t = table("plant-against-knn");
    EXPECT_EQ(cell_of(t, "ae knn", "pairs"), "3");
    EXPECT_EQ(cell_of(t, "ae knn", "cmr better in"), "3") << "0.20, 0.20, 0.04";
    run.results.erase("plant-ae-s1-f0");
    EXPECT_FALSE(has_row(table("plant-against-knn"), "ae knn")) << "two pairs are too few to ask";
}

// Folds differ by far more than methods, and a rival may lack the hard ones.
TEST_F(Tables, VerdictGoesByTheSameFits) {
    run.add_experiment("rig", {"cmr", "ae"}, {1});
    for (int64_t fold = 0; fold < 4; ++fold) {
        const double hard = 0.1 * static_cast<double>(fold);
        run.add(make_result("rig", "cmr", 1, fold, {{"knn", 0.5}, {"mechanism", 0.92 - hard}}));
        if (fold < 3) run.add(make_result("rig", "ae", 1, fold, {{"knn", 0.9 - hard}}));
    }
    const ResultTable t = table("verdict");
    EXPECT_EQ(cell_of(t, "rig", "cmr mechanism"), "0.770 ± 0.129");
    EXPECT_EQ(cell_of(t, "rig", "best rival"), "0.800 ± 0.100 (ae knn)");
    EXPECT_EQ(cell_of(t, "rig", "verdict"), "mechanism ahead of the best rival");
}

TEST_F(Tables, VerdictHasItsWords) {
    const ResultTable t = table("verdict");
    EXPECT_EQ(cell_of(t, "plant", "best rival"), "0.770 ± 0.028 (ae knn)");
    EXPECT_EQ(cell_of(t, "plant", "best control"), "0.930 ± 0.000 (lagged)");
    // Mean differences and twice their standard errors: 0.13 and 0.094; −0.03 and 0.05; 0.18 and 0.1; 0.02 and 0.016.
    EXPECT_EQ(cell_of(t, "plant", "verdict"),
              "mechanism ahead of the best rival and level with the best control; "
              "combined ahead of the best rival and ahead of the best control");
    for (auto& [id, r] : run.results)
        for (ScoreResult& score : r.scores)
            if (score.name == "lagged") score.auroc = 0.99;
    EXPECT_THAT(cell_of(table("verdict"), "plant", "verdict"),
                AllOf(HasSubstr("mechanism ahead of the best rival and behind the best control"),
                      HasSubstr("combined ahead of the best rival and behind the best control")));
}

TEST_F(Tables, ClaimsAreCounted) {
    const ResultTable t = table("claims");
    ASSERT_EQ(t.rows.size(), 4u);
    EXPECT_THAT(t.columns, ElementsAre("asked", "holds", "ties", "does not hold"));
    EXPECT_THAT(t.rows[0].cells, ElementsAre("1", "1", "0", "0")) << "ae: 0.77 over 0.56";
    EXPECT_THAT(t.rows[1].cells, ElementsAre("2", "0", "1", "1")) << "k = 1: -0.04, k = 5: +0.005";
    EXPECT_THAT(t.rows[2].cells, ElementsAre("2", "1", "0", "1")) << "k-NN 0.88 over 0.85, residual 0.75 under 0.77";
    EXPECT_THAT(t.rows[3].cells, ElementsAre("2", "1", "1", "0")) << "0.8 over 0.6, and as 0.795";
}

TEST_F(Tables, CostAndCoverageAreMeans) {
    const ResultTable cost = table("plant-cost");
    EXPECT_EQ(cell_of(cost, "cmr", "parameters"), "12,345");
    EXPECT_EQ(cell_of(cost, "cmr", "fit, s"), "10.0");
    EXPECT_EQ(cell_of(cost, "ae", "fit, s"), "4.0");
    EXPECT_EQ(cell_of(cost, "ae", "peak, MB"), "300");
    const ResultTable coverage = table("plant-coverage");
    EXPECT_EQ(cell_of(coverage, "0 (day)", "ratio"), "1.500 ± 0.000");
    EXPECT_EQ(cell_of(coverage, "1 (night)", "AUROC of k-NN"), "0.840 ± 0.057");
}

TEST_F(Tables, PromisesAreInTheUnitsOfPeople) {
    run.results.at(run.plan.cells.front().id).promise = {{.verdict = "kept",
                                                          .promised = 12,
                                                          .low = 0.00533,
                                                          .high = 1234.5,
                                                          .seen = 213.4,
                                                          .days = 0.0514,
                                                          .in_alarm = 0.01,
                                                          .found = 6,
                                                          .faults = 6,
                                                          .why = {}}};
    const ResultTable t = table("promises");
    EXPECT_EQ(cell_of(t, "plant", "promised a day"), "12");
    EXPECT_EQ(cell_of(t, "plant", "95 % interval"), "0.00533 … 1,235");
    EXPECT_EQ(cell_of(t, "plant", "came a day"), "213");
    EXPECT_EQ(cell_of(t, "plant", "healthy time of the test"), "1 h 14 min");
}

TEST_F(Tables, HaveWhatWasPublished) {
    run.plan.published = {{"leaderboard", "Published in table 2.", {"plant"}, {{"cmr knn", "0.984 ± 0.007"}}}};
    const ResultTable t = table("leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "plant"), "0.880 ± 0.042");
    EXPECT_EQ(cell_of(t, "cmr knn", "plant, published"), "0.984 ± 0.007");
    EXPECT_EQ(cell_of(t, "ae knn", "plant, published"), "");
    EXPECT_THAT(t.note, HasSubstr("Published in table 2."));
}

}  // namespace
}  // namespace cmr::study
