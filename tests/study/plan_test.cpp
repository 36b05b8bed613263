#include "study/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "io/file.h"
#include "io/json_fields.h"
#include "recipe/recipe.h"
#include "study/run_folder.h"
#include "support/expect_input_error.h"
#include "support/small_plant.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using test::expect_input_error;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Not;
using testing::StartsWith;

struct Planning : testing::Test {
    Planning() { test::write_small_plant(place.path()); }

    // `name`: of the run's folder.
    Plan plan(const std::string& experiments, const std::string& name = "run",
              std::string_view program = version()) const {
        std::ofstream(place / "small.toml") << "name = \"small\"\n" << experiments;
        const RunFolder folder(place / name);
        folder.create();
        return make_plan(read_study(place / "small.toml"), folder.path(), {}, program);
    }

    test::TemporaryFolder place;
};

std::string experiment(const std::string& rest, const std::string& name = "plant") {
    return "[[experiment]]\nname = \"" + name + "\"\nrecipe = \"plant.toml\"\n" + rest;
}

std::vector<std::string> ids(const Plan& plan) {
    std::vector<std::string> out;
    for (const Cell& cell : plan.cells) out.push_back(cell.id);
    return out;
}

TEST_F(Planning, MakesACellOfEveryMethodAndSeed) {
    const Plan made =
        plan(experiment("methods = [\"cmr\", \"ae\"]\nseeds = [1, 2]\npointwise = true\nstealthy = [95]\n"
                        "settings = [\"train.max_epochs=3\"]\n"
                        "poolings = [\"std\"]\nks = [1, 5]\nmetrics = [\"l2\"]\n"));
    ASSERT_EQ(made.cells.size(), 4u);
    EXPECT_EQ(made.uses.size(), 4u);
    const Cell& cell = made.cells[3];
    EXPECT_THAT(cell.id, StartsWith("plant-ae-s2-f0-"));
    EXPECT_EQ(cell.experiment, "plant");
    EXPECT_EQ(cell.method, "ae");
    EXPECT_EQ(cell.seed, 2);
    EXPECT_EQ(cell.fold, 0);
    EXPECT_TRUE(cell.pointwise);
    EXPECT_THAT(cell.stealthy, ElementsAre(95));
    EXPECT_THAT(cell.ks, ElementsAre(1, 5));
    EXPECT_EQ(cell.data_root, (place / "data").string());
    const recipe::Recipe recipe = recipe::read_recipe(RunFolder(place / "run").recipe(cell));
    EXPECT_EQ(recipe.model.method, "ae");
    EXPECT_EQ(recipe.train.max_epochs, 3);
    EXPECT_EQ(recipe.model.width, 16) << "as the recipe says";
}

TEST_F(Planning, LeavesControlsToCmr) {
    const auto only = [&](const Plan& made, size_t cell, const std::string& run) {
        return recipe::read_recipe(RunFolder(place / run).recipe(made.cells[cell])).score.only;
    };
    const Plan both = plan(experiment("methods = [\"cmr\", \"untrained\", \"ae\"]\nseeds = [1]\n"), "both");
    EXPECT_TRUE(only(both, 0, "both").empty());
    EXPECT_TRUE(only(both, 1, "both").empty());
    EXPECT_THAT(only(both, 2, "both"), ElementsAre("native", "knn", "marginal"));
    const Plan alone = plan(experiment("methods = [\"ae\"]\nseeds = [1]\n"), "alone");
    EXPECT_TRUE(only(alone, 0, "alone").empty()) << "nobody else brings them";
}

TEST_F(Planning, SharesTheCellWhereAnAxisHasTheRecipesOwnValue) {
    const Plan made =
        plan(experiment("methods = [\"cmr\"]\nseeds = [1, 2]\n[[experiment.axis]]\nkey = \"model.stop_gradient\"\n"
                        "values = [\"true\", \"false\"]\n[[experiment.axis]]\nkey = \"model.mechanism_weight\"\n"
                        "values = [\"0.2\", \"0.5\"]\nseeds = [2]\n"));
    std::vector<std::tuple<int64_t, std::string, int64_t>> uses;  // seed, value, cell
    for (const Use& use : made.uses) uses.emplace_back(use.seed, use.value, use.cell);
    EXPECT_THAT(uses, ElementsAre(std::tuple(1, "", 0), std::tuple(1, "true", 0), std::tuple(1, "false", 1),
                                  std::tuple(2, "", 2), std::tuple(2, "true", 2), std::tuple(2, "false", 3),
                                  std::tuple(2, "0.2", 2), std::tuple(2, "0.5", 4)));
    EXPECT_EQ(made.cells.size(), 5u);
    EXPECT_EQ(made.uses[0].axis, "");
    EXPECT_EQ(made.uses[2].axis, "model.stop_gradient");
    std::set<std::string> models;
    for (const Cell& cell : made.cells) models.insert(cell.model);
    EXPECT_EQ(models.size(), 5u) << "no two fits in one file";
}

TEST_F(Planning, TrainsNothingAgainForAnotherScoring) {
    const std::string methods = "methods = [\"cmr\"]\nseeds = [1]\n";
    const Plan before = plan(experiment(methods)),
               after =
                   plan(experiment(methods + "stealthy = [95]\npoolings = [\"std\"]\nks = [1]\nmetrics = [\"l2\"]\n"));
    EXPECT_EQ(before.cells[0].model, after.cells[0].model);
    EXPECT_NE(before.cells[0].id, after.cells[0].id) << "but it is scored again";
    const Plan stratum = plan(experiment(methods + "stratum = \"test\"\n"));
    EXPECT_EQ(before.cells[0].model, stratum.cells[0].model);
    EXPECT_NE(before.cells[0].id, stratum.cells[0].id) << "stealth and F1 are of other faults";
    EXPECT_EQ(stratum.cells[0].stratum, "test");
    const Plan other = plan(experiment(methods + "settings = [\"train.max_epochs=3\"]\n"));
    EXPECT_NE(before.cells[0].model, other.cells[0].model);
}

TEST_F(Planning, AProtocolIsThatOfTheRecipeUnlessTheStudySaysSo) {
    const std::string methods = "methods = [\"cmr\"]\nseeds = [1]\n";
    const Plan own = plan(experiment(methods)), strict = plan(experiment(methods + "protocol = \"strict\"\n")),
               paper = plan(experiment(methods + "protocol = \"paper\"\n")),
               set = plan(experiment(methods + "settings = [\"split.protocol=paper\"]\n"));
    EXPECT_EQ(ids(own), ids(strict)) << "the recipe's own";
    EXPECT_NE(ids(own), ids(paper));
    EXPECT_EQ(ids(paper), ids(set));
}

TEST_F(Planning, GivesTheSameNamesEveryTime) {
    const std::string text = experiment("methods = [\"cmr\", \"ae\"]\nseeds = [1, 2]\n");
    const Plan first = plan(text);
    EXPECT_EQ(io::to_json(plan(text)).dump(), io::to_json(first).dump());
    EXPECT_EQ(ids(plan(text, "elsewhere")), ids(first)) << "wherever the run is";
    EXPECT_EQ(ids(plan(text + experiment("seeds = [1]\n", "more"))).front(), ids(first).front());
    // Of a fit that was asked for yesterday, the name is known today.
    EXPECT_THAT(ids(plan(experiment("methods = [\"ae\"]\nseeds = [2]\n"))), Not(ElementsAre(ids(first).back())))
        << "alone, ae brings the controls";
}

TEST_F(Planning, DoesOtherDataAnew) {
    const std::string text = experiment("methods = [\"cmr\"]\nseeds = [1]\n");
    const Plan before = plan(text);
    test::write_plant_rows(place / "data/faulty.csv", test::SmallPlant::kFaulty, true, /*seed=*/3);
    const Plan after = plan(text);
    EXPECT_NE(before.cells[0].id, after.cells[0].id);
    EXPECT_NE(before.cells[0].model, after.cells[0].model);
}

TEST_F(Planning, DoesTheCellsOfAnotherProgramAnew) {
    const std::string text = experiment("methods = [\"cmr\", \"ae\"]\nseeds = [1]\n");
    const Plan own = plan(text), other = plan(text, "run", "0.1.0+0123456");
    EXPECT_EQ(own.version, version());
    EXPECT_EQ(other.version, "0.1.0+0123456");
    ASSERT_EQ(own.cells.size(), other.cells.size());
    for (size_t i = 0; i < own.cells.size(); ++i) {
        EXPECT_NE(own.cells[i].id, other.cells[i].id);
        EXPECT_NE(own.cells[i].model, other.cells[i].model);
    }
    EXPECT_EQ(ids(plan(text, "run", version())), ids(own));
}

TEST_F(Planning, PutsTheFirstSeedOfAllExperimentsFirst) {
    const Plan made = plan(experiment("methods = [\"cmr\", \"ae\"]\nseeds = [5, 6]\n", "one") +
                           experiment("methods = [\"cmr\"]\nseeds = [7, 8, 9]\n", "two"));
    std::vector<std::string> order;
    for (const Cell& cell : made.cells) order.push_back(cell.id.substr(0, cell.id.rfind("-f0-")));
    EXPECT_THAT(order, ElementsAre("one-cmr-s5", "one-ae-s5", "two-cmr-s7", "one-cmr-s6", "one-ae-s6", "two-cmr-s8",
                                   "two-cmr-s9"));
}

TEST_F(Planning, TakesSeedsAndFoldsOfTheRecipeWhereNoneAreGiven) {
    std::string recipe = io::read_file(place / "plant.toml");
    recipe.replace(recipe.find("healthy.csv"), 11, "healthy*.csv");
    recipe.replace(recipe.find("split."), 6, "split.per = \"recording\"\nsplit.");
    std::ofstream(place / "plant.toml") << recipe;
    test::write_plant_rows(place / "data/healthy2.csv", 3200, false, /*seed=*/3);
    const Plan all = plan(experiment("seeds = [3]\n"));
    ASSERT_EQ(all.cells.size(), 2u);
    EXPECT_EQ(all.cells[1].fold, 1);
    const Plan one = plan(experiment("folds = [1]\n"));
    EXPECT_THAT(one.experiments[0].seeds, ElementsAre(1337, 9999, 777));
    ASSERT_EQ(one.cells.size(), 3u);
    for (const Cell& cell : one.cells) EXPECT_EQ(cell.fold, 1);
}

TEST_F(Planning, RefusesAnAxisWithASeedThatTheExperimentDoesNotHave) {
    // It would be left out without a word.
    const std::string axis = "[[experiment.axis]]\nkey = \"model.width\"\nvalues = [\"8\"]\nseeds = [1, 5]\n";
    expect_input_error([&] { plan(experiment("seeds = [1]\n" + axis)); }, {"plant", "model.width", "seed 5"});
    expect_input_error([&] { plan(experiment(axis)); }, {"plant", "model.width", "seed 1", "1337"});
}

TEST_F(Planning, NamesWhatIsMissing) {
    expect_input_error([&] { plan("[[experiment]]\nname = \"plant\"\nrecipe = \"none.toml\"\n"); }, {"none.toml"});
    expect_input_error([&] { plan(experiment("settings = [\"model.widht=3\"]\n")); }, {"model.widht", "width"});
    expect_input_error(
        [&] { plan(experiment("seeds = [1]\n[[experiment.axis]]\nkey = \"model.gamma\"\nvalues = [\"1\"]\n")); },
        {"model.gamma"});
    std::filesystem::remove(place / "data/healthy.csv");
    expect_input_error([&] { plan(experiment("seeds = [1]\n")); }, {"healthy.csv"});
    // Found out before anything is trained, wherever the folds come from.
    expect_input_error([&] { plan(experiment("seeds = [1]\nfolds = [0]\n")); }, {"healthy.csv"});
    std::filesystem::remove_all(place / "data");
    expect_input_error([&] { plan(experiment("seeds = [1]\nfolds = [0]\n")); }, {"no data root", "data"});
}

TEST_F(Planning, RefusesAFoldThatTheRecipeDoesNotHave) {
    expect_input_error([&] { plan(experiment("seeds = [1]\nfolds = [0, 1]\n")); }, {"plant", "fold 1"});
}

}  // namespace
}  // namespace cmr::study
