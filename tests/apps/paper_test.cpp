// The paper's tables and figures from simulated originals of its three datasets: three runs, one report.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "apps/program.h"

namespace cmr {
namespace {

namespace fs = std::filesystem;
using test::content;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTiny = R"("model.width=8", "model.layers=1", "train.max_epochs=3", "train.learning_rate=0.003")";

// A machine each: the files of the originals, small, and the recipes as they are shipped.
const char* const kStudies[][2] = {{"pu", R"(
[[simulate]]
kind = "bearing"
folder = "pu"
settings = ["runs_per_condition=1", "seconds=0.5", "sample_rate_hz=16000", "faults=damage"]

[[experiment]]
name = "pu"
recipe = "RECIPES/pu.toml"
simulated = true
methods = ["cmr", "ae"]
seeds = [1337]
folds = [0, 12]
spread = "folds"
settings = ["data.rate_hz=16000", "window.length=2048", "window.stride=2048", TINY]
reconstruction = true
poolings = ["std", "max", "effect+mean-cause"]
ks = [1, 5]
metrics = ["cosine", "l2"]

[[experiment.axis]]
key = "model.stop_gradient"
values = ["true", "false"]
folds = [0]

[[experiment.axis]]
key = "model.mechanism_weight"
values = ["0", "0.2"]
folds = [0]

[[experiment.axis]]
key = "model.cause_weight"
values = ["0", "0.75"]
folds = [0]

[[experiment.axis]]
key = "model.effect_weight"
values = ["0.5", "1"]
folds = [0]
)"},
                                   {"zema", R"(
[[simulate]]
kind = "hydraulic"
folder = "zema-1hz"
settings = ["scale=0.2", "sample_rate_hz=1"]

[[experiment]]
name = "zema"
recipe = "RECIPES/zema-1hz.toml"
simulated = true
methods = ["cmr", "vae"]
seeds = [1337]
settings = [TINY]
poolings = ["std"]
ks = [1, 20]
metrics = ["l2"]

[[experiment.axis]]
key = "model.stop_gradient"
values = ["true", "false"]

[[experiment.axis]]
key = "model.cause_weight"
values = ["0", "0.5"]
)"},
                                   {"swat", R"(
[[simulate]]
kind = "water"
folder = "swat"
settings = ["scale=0.1", "format=csv"]

[[experiment]]
name = "swat"
recipe = "RECIPES/swat.toml"
simulated = true
methods = ["cmr", "vae"]
seeds = [1337]
settings = ["model.predictor_width=16", TINY]
pointwise = true
stealthy = [90, 95, 99]
poolings = ["std"]
ks = [1, 5]
metrics = ["l2"]

[[experiment.axis]]
key = "model.stop_gradient"
values = ["true", "false"]

[[experiment.axis]]
key = "model.cause_weight"
values = ["0", "0.5"]
)"}};

std::string with(std::string text, const std::string& word, const std::string& what) {
    for (size_t at; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), what);
    return text;
}

TEST(PaperProgram, ReportsThreeRunsAsOne) {
    const test::Program program;
    if (!program.trains()) GTEST_SKIP() << "built without training";
    const std::string recipes =
        fs::absolute(fs::path(__FILE__).parent_path().parent_path().parent_path() / "recipes").string();
    for (const auto& [name, text] : kStudies) {
        std::ofstream(program.folder / fmt::format("{}.toml", name))
            << fmt::format("name = \"{}\"\n", name) << with(with(text, "RECIPES", recipes), "TINY", kTiny);
        program.must(fmt::format("study {}.toml --out {}-run --workers 2", name, name));
    }
    program.must("report pu-run zema-run swat-run --out all");
    const fs::path tables = program.folder / "all/tables";
    const auto table = [&](const std::string& name) { return content(tables / (name + ".csv")); };

    // Every label has a file, and numbers of ours.
    const std::string contents = table("paper");
    for (const char* label : {"tab:settings_summary",
                              "tab:datasets",
                              "tab:training_inference",
                              "tab:architecture",
                              "fig:pu_currvib",
                              "tab:pu_gamma",
                              "tab:zema_beta",
                              "tab:swat_beta",
                              "fig:pu_main",
                              "subsec:pu_main-wilcoxon",
                              "subsec:pu_main-coverage",
                              "tab:swat_pointf1",
                              "tab:synth_master",
                              "fig:synth_methods",
                              "subsec:base_zema_swat",
                              "subsec:base_ownencoder",
                              "fig:synth_scoring",
                              "tab:swat_stealthy",
                              "tab:hard_subset",
                              "fig:pu_heatmap",
                              "fig:synth_stopgrad",
                              "tab:pu_bearings",
                              "tab:pu_main",
                              "tab:pu_fixed_perfold",
                              "tab:zema_main",
                              "tab:pu_baselines",
                              "tab:zema_baselines",
                              "fig:baselines_all",
                              "tab:swat_baselines",
                              "tab:pu_strategy",
                              "tab:pu_stopgrad",
                              "tab:zema_stopgrad",
                              "tab:zema_ksweep",
                              "tab:swat_cmr"}) {
        EXPECT_THAT(contents, HasSubstr(fmt::format("\n{},", label)));
        EXPECT_THAT(contents, Not(testing::ContainsRegex(fmt::format("\n{},[^\n]*no data", label)))) << label;
        EXPECT_TRUE(fs::exists(tables / (with(label, ":", "-") + ".tex"))) << label;
    }
    EXPECT_THAT(table("tab-pu_strategy"), Not(HasSubstr("\neffect+mean-cause,no data")));
    for (const char* figure : {"fig-pu_main", "fig-synth_methods", "fig-synth_scoring", "fig-pu_heatmap",
                               "fig-synth_stopgrad", "fig-baselines_all", "fig-pu_currvib"})
        EXPECT_TRUE(fs::exists(program.folder / fmt::format("all/figures/{}.svg", figure))) << figure;

    EXPECT_THAT(table("tab-synth_master"), HasSubstr("method,pu,\"pu, published\",zema,\"zema, published\",swat"));
    EXPECT_THAT(table("tab-synth_master"), Not(HasSubstr("\ncmr,no data")));
    EXPECT_THAT(table("tab-pu_fixed_perfold"), HasSubstr("\n1 (K001+K003),no data,0.9950"));
    // The six progressions: two rows each, and their rise.
    EXPECT_EQ(test::lines_of(table("pu-severity")), 1 + 6 * 3) << table("pu-severity");
    EXPECT_THAT(table("pu-severity"), HasSubstr("\n\"fatigue pitting, outer race: 1\",\"KA04, KA22\","));
    EXPECT_EQ(test::lines_of(table("swat-marginals")), 1 + 25 + 1);
    EXPECT_THAT(content(tables / "leaderboard.md"), HasSubstr("the combined score holds"));
    EXPECT_THAT(content(tables / "tab-swat_cmr.md"), HasSubstr("simulated data"));
    EXPECT_THAT(content(program.folder / "all/report.html"), HasSubstr("The paper&#39;s tables and figures"));
}

}  // namespace
}  // namespace cmr
