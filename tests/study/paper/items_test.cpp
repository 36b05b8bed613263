// The paper's tables from runs with numbers that can be worked out by hand.

#include "study/paper/items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "io/file.h"
#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study::paper {
namespace {

using test::cell_of;
using test::make_result;
using test::SmallRun;
using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kSource =
    std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();

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
        return table_of(label, Sets(outcome));
    }
    // With the recipes that are shipped, and `settings` over them.
    ResultTable table_with_recipes(const std::string& label, const std::vector<std::string>& settings = {}) const {
        const Outcome outcome = run.outcome();
        return table_of(
            label, Sets(outcome, [&](const Cell& cell) {
                const char* name = cell.experiment == "bearing" ? "pu" : cell.experiment == "rig" ? "zema" : "swat";
                return recipe::read_recipe(kSource / "recipes" / fmt::format("{}.toml", name), settings);
            }));
    }
    static ResultTable table_of(const std::string& label, const Sets& sets) {
        for (const Exhibit& exhibit : make_exhibits(sets))
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

// A row's cells: ours and the paper's of each dataset in turn.
std::vector<std::string> row_of(const ResultTable& table, const std::string& name) {
    for (const ResultTable::Row& row : table.rows)
        if (row.name == name) return row.cells;
    ADD_FAILURE() << table.name << " has no row " << name;
    return {};
}

TEST_F(Paper, HasItsSettingsOfTraining) {
    const ResultTable t = table_with_recipes("tab:training_inference");
    EXPECT_THAT(row_of(t, "learning rate"), ElementsAre("0.0005", "0.0005", "0.0005", "0.0005", "0.0005", "0.0005"));
    EXPECT_THAT(row_of(t, "β₁, β₂"), ElementsAre("", "0.9, 0.999", "", "0.9, 0.999", "", "0.9, 0.999"));
    EXPECT_THAT(row_of(t, "reference bank"),
                ElementsAre("1,000 training windows", "all training windows", "1,000 training windows",
                            "415 healthy cycles", "1,000 training windows", "3,142 healthy windows"));
    EXPECT_THAT(row_of(t, "runs reported"),
                ElementsAre("2 folds, 2 seeds", "15 (6 choose 2 pairs)", "2 seeds", "3 seeds", "1 seed", "3 seeds"));
    EXPECT_THAT(row_of(t, "seeds"),
                ElementsAre("7, 3", "deterministic", "1337, 777", "1337, 9999, 777", "1", "1337, 9999, 777"));
    EXPECT_THAT(row_of(t, "validation"), ElementsAre("leave-units-out, 2", "leave-two-out", "chronological",
                                                     "temporal split", "chronological", "normal/attack split"));
    EXPECT_THAT(row_of(t, "stratified metric"),
                ElementsAre("artificial, real", "artificial vs. real", "leak, drift", "weak vs. severe",
                            "stealthy, blunt", "stealthy vs. blunt"));
    EXPECT_THAT(row_of(t, "hardware"), testing::Contains("2 threads, portable").Times(3));
    EXPECT_EQ(cell_of(table_with_recipes("tab:training_inference", {"split.protocol=strict"}), "reference bank", "pu"),
              "no data");
    const ResultTable summary = table_with_recipes("tab:settings_summary");
    EXPECT_THAT(row_of(summary, "runs reported"),
                ElementsAre("2 folds, 2 seeds", "15 folds", "2 seeds", "3 seeds", "1 seed", "3 seeds"));
    EXPECT_THAT(row_of(summary, "optimiser"), ElementsAre("", "AdamW", "", "AdamW", "", "AdamW"));
    EXPECT_EQ(cell_of(summary, "primary metric", "swat"), "AUROC, point-wise F1");
}

TEST_F(Paper, HasItsNetwork) {
    const ResultTable t = table_with_recipes("tab:architecture");
    const auto all = [](const std::string& text) { return std::vector<std::string>(6, text); };
    EXPECT_EQ(row_of(t, "stem: in, out"), all("1 → 128"));
    EXPECT_EQ(row_of(t, "stem: padding"), all("3"));
    EXPECT_EQ(row_of(t, "final LayerNorm after the stack"), all("yes"));
    EXPECT_EQ(row_of(t, "decoder, stage 1: convolution"), all("128 → 128"));
    EXPECT_EQ(row_of(t, "decoder, stage 2: ×2 upsample"), all("128 → 64"));
    EXPECT_EQ(row_of(t, "decoder, stage 3: ×2 upsample"), all("64 → 32"));
    EXPECT_EQ(row_of(t, "decoder, stage 4: projection"), all("32 → 1"));
    EXPECT_EQ(row_of(t, "decoder, stage 4: kernel"), all("7"));
    EXPECT_THAT(row_of(t, "decoder: output, samples"), ElementsAre("32,768", "32,768", "6,000", "6,000", "256", "256"));
    EXPECT_THAT(row_of(t, "tokens"), ElementsAre("8,192", "8,192", "1,500", "1,500", "64", "64"));
    EXPECT_THAT(row_of(t, "predictor: output begins as"),
                ElementsAre("identity", "identity", "identity", "identity", "default", "default"));
    EXPECT_THAT(row_of(t, "encoder of causes"),
                ElementsAre("current (shared on 2)", "enc_curr (shared on A, B)", "power (dedicated)",
                            "enc_eps1 (dedicated)", "actuators (shared on 26)", "enc_cause (shared on 12 actuators)"));
    EXPECT_EQ(cell_of(t, "decoder sharing", "pu"), "2 for 3 channels") << "the currents share one";
    EXPECT_EQ(cell_of(t, "decoder sharing", "zema"), "1 for 2 channels") << "α_x is 0";
    EXPECT_EQ(cell_of(t, "decoder sharing", "swat"), "25 for 51 channels");

    const ResultTable other = table_with_recipes("tab:architecture", {"model.width=64", "model.stem_kernel=9"});
    EXPECT_EQ(cell_of(other, "stem: in, out", "pu"), "1 → 64");
    EXPECT_EQ(cell_of(other, "stem: padding", "pu"), "4");
    EXPECT_EQ(cell_of(other, "decoder, stage 2: ×2 upsample", "pu"), "64 → 32");
    const ResultTable none = table_with_recipes("tab:architecture", {"model.effect_weight=0", "model.cause_weight=0"});
    EXPECT_EQ(cell_of(none, "decoder, stage 4: projection", "pu"), "no data") << "nothing is decoded";
}

TEST_F(Paper, HasItsDatasets) {
    const ResultTable t = table_with_recipes("tab:datasets");
    EXPECT_THAT(row_of(t, "healthy data"),
                ElementsAre("6 machines, 1,100 windows", "6 bearings, 6,727 windows", "1,100 windows",
                            "489 stable cycles", "1,000 windows", "3,142 windows"))
        << "training and what is held out, but not the healthy windows between attacks";
    EXPECT_THAT(row_of(t, "faulty data"), ElementsAre("19 machines, 20 windows", "19 bearings, 21,337 windows",
                                                      "20 windows", "960 cycles", "20 windows", "496 attack windows"));
    EXPECT_EQ(cell_of(t, "split", "pu"), "leave-units-out, 2, 2 folds, 2 seeds");
    EXPECT_EQ(cell_of(t, "split", "pu, published"), "Bearing-level, 15 folds");
    EXPECT_EQ(cell_of(t, "window, seconds", "pu"), "0.512");
    EXPECT_EQ(cell_of(t, "cause channel", "pu"), "current A, current B");
    EXPECT_EQ(cell_of(t, "effect channel", "swat"), "25");
    EXPECT_THAT(row_of(t, "fault"),
                ElementsAre("", "Bearing damage", "", "Internal pump leakage", "", "Process-control attack"));
    EXPECT_EQ(cell_of(table_with_recipes("tab:datasets", {"split.protocol=strict"}), "healthy data", "pu"), "no data");
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

// The names in backticks of the first column, where they are labels.
std::vector<std::string> documented_labels() {
    std::vector<std::string> out;
    std::istringstream page(io::read_file(kSource / "docs/study.md"));
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| `")) continue;
        std::istringstream cell(line.substr(2, line.find(" | ") - 2));
        for (std::string name; std::getline(cell, name, '`');)
            if (name.starts_with("tab:") || name.starts_with("fig:") || name.starts_with("subsec:"))
                out.push_back(name);
    }
    return out;
}

TEST(PaperItems, AreThoseThatTheDocumentationLists) {
    std::vector<std::string> labels;
    for (const Item& item : items()) labels.emplace_back(item.label);
    EXPECT_THAT(documented_labels(), testing::UnorderedElementsAreArray(labels));
}

}  // namespace
}  // namespace cmr::study::paper
