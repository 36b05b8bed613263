#include "study/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "study/small_run.h"
#include "study/tables.h"

namespace cmr::study {
namespace {

using test::cell_of;
using test::find_table;
using test::make_result;
using test::SmallRun;
using testing::HasSubstr;

SmallRun run_of(const std::string& experiment, double auroc) {
    SmallRun run;
    run.plan.name = experiment + "-study";
    run.add_experiment(experiment, {"cmr"}, {1, 2});
    run.plan.published.push_back(
        {.table = "leaderboard", .note = "", .columns = {experiment}, .rows = {{"cmr knn", "0.5"}}});
    run.add(make_result(experiment, "cmr", 1, 0, {{"knn", auroc}}));
    run.add(make_result(experiment, "cmr", 2, 0, {{"knn", auroc + 0.1}}));
    return run;
}

TEST(Join, MakesOneOutcomeOfSeveral) {
    const Outcome joined = join({run_of("rig", 0.6).outcome(), run_of("mill", 0.8).outcome()}, {"a", "b"});
    EXPECT_EQ(joined.plan().name, "rig-study+mill-study");
    ASSERT_EQ(joined.plan().experiments.size(), 2u);
    EXPECT_EQ(joined.results().size(), 4u);
    for (const Experiment& e : joined.plan().experiments)
        for (const Result* r : joined.of(e, "cmr")) EXPECT_EQ(r->experiment, e.name);
    const ResultTable t = find_table(make_tables(joined), "leaderboard");
    EXPECT_EQ(cell_of(t, "cmr knn", "rig").substr(0, 5), "0.650");
    EXPECT_EQ(cell_of(t, "cmr knn", "mill").substr(0, 5), "0.850");
    EXPECT_EQ(cell_of(t, "cmr knn", "mill, published"), "0.5");
}

TEST(Join, OfOneRunIsThatRun) {
    const Outcome joined = join({run_of("rig", 0.6).outcome()}, {"a"});
    EXPECT_EQ(joined.plan().name, "rig-study");
    EXPECT_EQ(joined.results().size(), 2u);
}

TEST(Join, MakesOneExperimentOfRunsOfDifferentMethods) {
    SmallRun rivals = run_of("rig", 0.6);
    rivals.plan.experiments[0].methods = {"ae"};
    for (Use& use : rivals.plan.uses) use.method = "ae";
    const Outcome joined = join({run_of("rig", 0.8).outcome(), rivals.outcome()}, {"a", "b"});
    EXPECT_EQ(joined.plan().name, "rig-study");
    ASSERT_EQ(joined.plan().experiments.size(), 1u);
    EXPECT_THAT(joined.plan().experiments[0].methods, testing::ElementsAre("cmr", "ae"));
    EXPECT_EQ(joined.plan().published.size(), 1u);
}

TEST(Join, RefusesOneExperimentWithOtherSettings) {
    SmallRun rivals = run_of("rig", 0.6);
    rivals.plan.experiments[0].methods = {"ae"};
    rivals.plan.experiments[0].settings = {"train.max_epochs=3"};
    EXPECT_THROW(join({run_of("rig", 0.8).outcome(), rivals.outcome()}, {"a", "b"}), InputError);
}

TEST(Join, RefusesTwoExperimentsOfOneName) {
    try {
        join({run_of("rig", 0.6).outcome(), run_of("rig", 0.8).outcome()}, {"first-run", "second-run"});
        FAIL() << "joined";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("first-run and second-run both have an experiment \"rig\""));
    }
}

}  // namespace
}  // namespace cmr::study
