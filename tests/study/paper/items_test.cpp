// The paper's tables from runs with numbers that can be worked out by hand.

#include "study/paper/items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study::paper {
namespace {

using test::cell_of;
using test::make_result;
using test::SmallRun;
using testing::HasSubstr;

// The fold means of k-NN on Paderborn: cmr 0.90 and 0.60, ae 0.80 and 0.70; two runs, 0.02 apart.
struct Paper : testing::Test {
    Paper() {
        Experiment& pu = run.add_experiment("bearing", {"cmr", "ae"}, {7, 3});
        pu.poolings = {"std", "max"};
        pu.ks = {1, 5};
        pu.metrics = {"cosine", "l2"};
        for (const int64_t seed : {7, 3})
            for (const int64_t fold : {0, 12}) {
                const double more = seed == 7 ? 0.01 : -0.01, ours = (fold == 0 ? 0.90 : 0.60) + more,
                             theirs = (fold == 0 ? 0.80 : 0.70) + more;
                Result r = paderborn("cmr", seed, fold, {{"knn", ours}, {"residual", 0.5}, {"marginal", 0.4}});
                // The best over all faults is not the best over artificial ones.
                r.grid = {{"std", "cosine", 1, ours, strata(0.2, 0.9)},
                          {"std", "cosine", 5, ours - 0.1, strata(0.8, 0.1)},
                          {"max", "l2", 5, ours + 0.05, strata(0.3, 0.95)},
                          {"effect+mean-cause", "cosine", 5, ours - 0.2, strata(0.1, 0.2)}};
                r.scores[0].healthy_mean = 2;
                r.scores[0].faulty_mean = fold == 0 ? 6 : 2.2;
                r.machines = {{"KA05", "engraver", "outer race", 1, 9},
                              {"KA03", "engraver", "outer race", 2, 9},
                              {"KA01", "EDM", "outer race", 1, 9}};
                r.scores[0].machines = {{"KA05", 0.6, 1}, {"KA03", 0.8, 2}, {"KA01", 0.7, 1}};
                r.variations = {{"vibration", 0.25}};
                run.add(std::move(r));
                run.add(paderborn("ae", seed, fold, {{"native", 0.55}, {"knn", theirs}}));
            }
        Experiment& zema = run.add_experiment("rig", {"cmr", "vae"}, {1337, 777});
        zema.ks = {20, 50};
        zema.poolings = {"std"};
        zema.metrics = {"l2"};
        zema.axis = {{.key = "model.stop_gradient", .values = {"true", "false"}, .seeds = {}, .folds = {}}};
        for (const int64_t seed : {1337, 777}) {
            run.add(hydraulic("cmr", seed, 0.8, 0.9));
            run.add(hydraulic("cmr", seed, 0.7, 0.6), "model.stop_gradient", "true");
            run.add(hydraulic("cmr", seed, 0.8, 0.9), "model.stop_gradient", "false");
            run.add(hydraulic("vae", seed, 0.75, 0.7));
        }
        run.add_experiment("water", {"cmr", "vae"}, {1}).stealthy = {95};
        run.add(water("cmr", {{"knn", 0.7}, {"residual", 0.8}, {"marginal", 0.6}}, {0.5, 0.74, 0.4}));
        run.add(water("vae", {{"native", 0.65}, {"knn", 0.72}}, {0.3, 0.68}));
    }

    static std::vector<StratumResult> strata(double artificial, double real) {
        return {{"artificial", 9, artificial}, {"real", 9, real}};
    }
    static Result named(Result r, const char* recipe) {
        r.recipe = recipe;
        r.protocol = "paper";
        return r;
    }
    static Result paderborn(const char* method, int64_t seed, int64_t fold, const test::Scores& scores) {
        Result out = named(make_result("bearing", method, seed, fold, scores), "pu");
        for (ScoreResult& score : out.scores) score.strata = strata(score.auroc - 0.1, score.auroc + 0.05);
        return out;
    }
    static Result hydraulic(const char* method, int64_t seed, double at_20, double at_50) {
        Result out = named(make_result("rig", method, seed, 0, {{"native", 0.4}, {"knn", at_20}}), "zema");
        for (const auto& [k, auroc] : {std::pair(20, at_20), {50, at_50}})
            out.grid.push_back({"std", "l2", k, auroc, {{"weak", 5, auroc - 0.05}, {"severe", 5, auroc + 0.05}}});
        return out;
    }
    static Result water(const char* method, const test::Scores& scores, const std::vector<double>& stealthy) {
        Result out = named(make_result("water", method, 1, 0, scores), "swat");
        for (size_t i = 0; i < stealthy.size(); ++i) {
            out.scores[i].stealth = {{95, 5, 15, stealthy[i], 0.9}};
            out.scores[i].point_f1 = 0.77;
        }
        return out;
    }

    ResultTable table(const std::string& label) const {
        const Outcome outcome = run.outcome();
        for (const Exhibit& exhibit : make_exhibits(Sets(outcome)))
            if (exhibit.label == label) return exhibit.table();
        ADD_FAILURE() << "no " << label;
        return {};
    }

    SmallRun run;
};

TEST_F(Paper, HasEveryLabelOnceAndWhole) {
    std::set<std::string> labels;
    const Outcome outcome = run.outcome();
    for (const Exhibit& exhibit : make_exhibits(Sets(outcome))) {
        EXPECT_TRUE(labels.insert(exhibit.label).second) << exhibit.label << " twice";
        EXPECT_FALSE(exhibit.corner.empty()) << exhibit.label;
        for (const Exhibit::Row& row : exhibit.rows)
            EXPECT_EQ(row.cells.size(), exhibit.columns.size()) << exhibit.label << ", " << row.name;
        EXPECT_GT(exhibit.asked(), 0) << exhibit.label;
    }
    for (const char* label :
         {"fig:pu_main",       "tab:swat_pointf1",     "tab:synth_master", "fig:synth_methods",  "fig:synth_scoring",
          "tab:swat_stealthy", "tab:hard_subset",      "fig:pu_heatmap",   "fig:synth_stopgrad", "tab:pu_bearings",
          "tab:pu_main",       "tab:pu_fixed_perfold", "tab:zema_main",    "tab:pu_baselines",   "tab:zema_baselines",
          "fig:baselines_all", "tab:swat_baselines",   "fig:pu_currvib",   "tab:pu_gamma",       "tab:pu_strategy",
          "tab:pu_stopgrad",   "tab:zema_stopgrad",    "tab:zema_ksweep",  "tab:swat_cmr",       "tab:zema_beta",
          "tab:swat_beta"})
        EXPECT_TRUE(labels.contains(label)) << label;
}

TEST_F(Paper, IsLeftOutWithoutItsDatasets) {
    SmallRun other;
    other.add_experiment("plant", {"cmr"}, {1});
    other.add(make_result("plant", "cmr", 1, 0, {{"knn", 0.9}}));
    const Outcome outcome = other.outcome();
    EXPECT_TRUE(make_exhibits(Sets(outcome)).empty());
}

TEST_F(Paper, HasRunsAsColumnsAndStrataOfTheOracle) {
    const ResultTable t = table("tab:pu_main");
    EXPECT_EQ(cell_of(t, "0 (K001+K002)", "run 1"), "0.9600") << "the study's first seed, 0.91 + 0.05";
    EXPECT_EQ(cell_of(t, "0 (K001+K002)", "run 2"), "0.9400");
    EXPECT_EQ(cell_of(t, "0 (K001+K002)", "run 3"), "no data");
    EXPECT_EQ(cell_of(t, "0 (K001+K002)", "run 3, published"), "0.9390");
    EXPECT_EQ(cell_of(t, "0 (K001+K002)", "mean"), "0.9500");
    EXPECT_EQ(cell_of(t, "1 (K001+K003)", "mean"), "no data");
    EXPECT_EQ(cell_of(t, "mean over folds", "mean"), "0.8000");
    EXPECT_EQ(cell_of(t, "artificial", "mean"), "0.3000") << "of the choice that is best over all faults";
    EXPECT_EQ(cell_of(t, "artificial", "mean, published"), "0.8601");
}

// 256 numbers, as the paper has them; what keeps two currents apart has 384.
TEST_F(Paper, PoolsTheCurrentsToTheirMean) {
    const ResultTable t = table("tab:pu_strategy");
    EXPECT_EQ(t.rows.front().name, "effect+mean-cause");
    EXPECT_EQ(cell_of(t, "effect+mean-cause", "AUROC").substr(0, 6), "0.5500");
    EXPECT_EQ(cell_of(t, "effect+mean-cause", "best at"), "k = 5, cosine");
    EXPECT_EQ(cell_of(t, "effect+mean-cause", "AUROC, published"), "0.8912 ± 0.045");
    EXPECT_EQ(cell_of(table("fig:pu_heatmap"), "effect+mean-cause", "k = 5"), "0.5500");
}

TEST_F(Paper, ComparesTheMeansOfFolds) {
    const ResultTable t = table("subsec:pu_main-wilcoxon");
    EXPECT_EQ(cell_of(t, "ae", "folds won"), "1 of 2");
    EXPECT_EQ(cell_of(t, "ae", "median difference"), "0.000") << "+0.1 and −0.1";
    EXPECT_EQ(cell_of(t, "usad", "p"), "no data");
    EXPECT_EQ(cell_of(t, "usad", "p, published"), "0.64");
}

TEST_F(Paper, HasTheCoverageOfTheHardFold) {
    const ResultTable t = table("subsec:pu_main-coverage");
    EXPECT_EQ(cell_of(t, "12 (K004+K005)", "faulty over healthy").substr(0, 5), "1.100");
    EXPECT_EQ(cell_of(t, "the others, mean", "faulty over healthy"), "3.000");
    EXPECT_EQ(cell_of(t, "the others, least", "faulty over healthy"), "3.000");
}

TEST_F(Paper, ChoosesKAsThePaperDoes) {
    const ResultTable t = table("tab:zema_main");
    EXPECT_EQ(cell_of(t, "without, 1337", "k"), "50");
    EXPECT_EQ(cell_of(t, "without, 1337", "overall"), "0.9000");
    EXPECT_EQ(cell_of(t, "without, 1337", "weak"), "0.8500");
    EXPECT_EQ(cell_of(t, "without, 1337", "overall, published"), "0.9897");
    EXPECT_EQ(cell_of(t, "without, 9999", "overall"), "no data");
    EXPECT_EQ(cell_of(t, "with, mean", "k"), "20");
    EXPECT_EQ(cell_of(t, "with, mean", "severe").substr(0, 6), "0.7500");
    EXPECT_EQ(cell_of(table("tab:zema_stopgrad"), "without less with", "overall"), "+0.2000");
}

TEST_F(Paper, HasTheThreeDatasetsSideBySide) {
    const ResultTable t = table("tab:synth_master");
    EXPECT_EQ(cell_of(t, "cmr", "pu").substr(0, 5), "0.750");
    EXPECT_EQ(cell_of(t, "cmr", "zema").substr(0, 5), "0.900") << "without the stop-gradient, at its best k";
    EXPECT_EQ(cell_of(t, "cmr", "swat").substr(0, 5), "0.800") << "by its residual";
    EXPECT_EQ(cell_of(t, "cmr is best by", "swat"), "residual");
    EXPECT_EQ(cell_of(t, "vae", "swat").substr(0, 5), "0.720");
    EXPECT_EQ(cell_of(t, "vae", "pu"), "no data");
    EXPECT_EQ(cell_of(t, "vae", "pu, published"), "0.874");
}

TEST_F(Paper, HasTheHardFaultsInOneTable) {
    const ResultTable t = table("tab:hard_subset");
    EXPECT_EQ(cell_of(t, "pu: artificial", "cmr").substr(0, 5), "0.650");
    EXPECT_EQ(cell_of(t, "pu: artificial", "best rival").substr(0, 5), "0.650");
    EXPECT_EQ(cell_of(t, "swat: stealthy", "cmr"), "0.740");
    EXPECT_EQ(cell_of(t, "swat: stealthy", "best rival"), "0.680 (vae)");
    EXPECT_EQ(cell_of(t, "swat: stealthy", "control marginal"), "0.400");
}

TEST_F(Paper, HasWhatTheFaultsDoToEachSensor) {
    const ResultTable t = table("subsec:base_zema_swat");
    EXPECT_EQ(cell_of(t, "pu", "median over effects"), "0.25");
    EXPECT_EQ(cell_of(t, "swat", "median over effects"), "no data");
    EXPECT_EQ(cell_of(t, "swat", "median over effects, published"), "0.61");
}

TEST_F(Paper, HasBearingsAndTheirProgressions) {
    EXPECT_EQ(cell_of(table("tab:pu_bearings"), "KA03", "severity"), "2");
    EXPECT_EQ(cell_of(table("tab:pu_bearings"), "KA03", "cmr knn").substr(0, 5), "0.800");
    const ResultTable t = test::find_table(make_tables(run.outcome()), "bearing-severity");
    ASSERT_EQ(t.rows.size(), 3u) << "EDM has one severity";
    EXPECT_EQ(cell_of(t, "engraver, outer race: 1", "machines"), "KA05");
    EXPECT_EQ(cell_of(t, "engraver, outer race: 2", "cmr knn").substr(0, 5), "0.800");
    EXPECT_EQ(cell_of(t, "engraver, outer race: rise", "cmr knn"), "+0.200");
    EXPECT_EQ(cell_of(t, "engraver, outer race: rise", "ae knn"), "–");
}

TEST_F(Paper, SaysWhatOursAreOf) {
    EXPECT_EQ(table("tab:swat_cmr").note, "");
    run.plan.experiments[2].simulated = true;
    EXPECT_THAT(table("tab:swat_cmr").note, HasSubstr("Ours of water: simulated data"));
}

TEST_F(Paper, ListsItsContents) {
    const Outcome outcome = run.outcome();
    const ResultTable t = contents(make_exhibits(Sets(outcome)));
    EXPECT_EQ(t.rows.size(), items().size());
    EXPECT_EQ(cell_of(t, "tab:pu_gamma", "ours"), "no data");
    EXPECT_EQ(cell_of(t, "tab:zema_stopgrad", "ours"), "11 of 11");
}

}  // namespace
}  // namespace cmr::study::paper
