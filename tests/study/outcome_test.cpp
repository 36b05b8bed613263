#include "study/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "study/run_folder.h"
#include "study/small_run.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using test::make_result;
using test::SmallRun;
using testing::ElementsAre;

// Two seeds and two folds of one method: by seed 0.85 and 0.91, by fold 0.92 and 0.84.
SmallRun two_by_two() {
    SmallRun run;
    run.add_experiment("plant", {"cmr"}, {1, 2});
    run.add(make_result("plant", "cmr", 1, 0, {{"knn", 0.90}}));
    run.add(make_result("plant", "cmr", 1, 1, {{"knn", 0.80}}));
    run.add(make_result("plant", "cmr", 2, 0, {{"knn", 0.94}}));
    run.add(make_result("plant", "cmr", 2, 1, {{"knn", 0.88}}));
    return run;
}

TEST(Outcome, SpreadsOverSeedsTheMeansOfTheirFolds) {
    const SmallRun run = two_by_two();
    const Outcome outcome = run.outcome();
    const auto spread = outcome.auroc(outcome.plan().experiments[0], {"cmr", "knn"});
    ASSERT_TRUE(spread);
    EXPECT_NEAR(spread->mean, 0.88, 1e-12);
    EXPECT_NEAR(*spread->deviation, 0.06 / std::sqrt(2), 1e-12);
    EXPECT_EQ(spread->values, 4);
    EXPECT_EQ(shown(spread), "0.880 ± 0.042");
    EXPECT_EQ(shown(spread, 1), "0.9 ± 0.0");
}

TEST(Outcome, SpreadsOverFoldsTheMeansOfTheirSeeds) {
    SmallRun run = two_by_two();
    run.plan.experiments[0].spread = "folds";
    const auto spread = run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"});
    ASSERT_TRUE(spread);
    EXPECT_NEAR(spread->mean, 0.88, 1e-12);
    EXPECT_NEAR(*spread->deviation, 0.08 / std::sqrt(2), 1e-12);
    EXPECT_EQ(shown(spread), "0.880 ± 0.057");
}

TEST(Outcome, ByThePapersProtocolTheDeviationIsThatOfThePopulation) {
    SmallRun run = two_by_two();
    for (auto& [id, r] : run.results) r.protocol = "paper";
    EXPECT_NEAR(*run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"})->deviation, 0.03, 1e-12);
}

TEST(Outcome, OfOneSeedSpreadsOverFoldsAndOfOneCellNotAtAll) {
    SmallRun run = two_by_two();
    run.results.erase("plant-cmr-s2-f0");
    run.results.erase("plant-cmr-s2-f1");
    EXPECT_EQ(shown(run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"})), "0.850 ± 0.071");
    run.results.erase("plant-cmr-s1-f1");
    EXPECT_EQ(shown(run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"})), "0.900");
    run.results.clear();
    EXPECT_EQ(shown(run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"})), "–");
    EXPECT_EQ(shown(two_by_two().outcome().auroc(run.plan.experiments[0], {"cmr", "native"})), "–");
}

TEST(Outcome, LeavesOutNumbersThatAreNone) {
    SmallRun run = two_by_two();
    for (const char* id : {"plant-cmr-s2-f0", "plant-cmr-s2-f1"})
        run.results[id].scores[0].auroc = std::numeric_limits<double>::quiet_NaN();
    const auto spread = run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"});
    ASSERT_TRUE(spread);
    EXPECT_NEAR(spread->mean, 0.85, 1e-12);
    EXPECT_EQ(spread->values, 2);
}

TEST(Outcome, CountsTheStratumThatTheExperimentNames) {
    SmallRun run = two_by_two();
    run.plan.experiments[0].stratum = "drift";
    const Outcome outcome = run.outcome();
    const Experiment& e = outcome.plan().experiments[0];
    EXPECT_NEAR(outcome.auroc(e, {"cmr", "knn"})->mean, 0.88 + test::kDrift, 1e-12);
    EXPECT_THAT(outcome.strata(e), ElementsAre("leak", "drift"));
    EXPECT_FALSE(auroc_of("knn", e.stratum)(make_result("plant", "cmr", 1, 0, {})));
    run.plan.experiments[0].stratum = "fire";
    EXPECT_FALSE(run.outcome().auroc(run.plan.experiments[0], {"cmr", "knn"}));
}

TEST(Outcome, KeepsSettingsAndFailuresApart) {
    SmallRun run = two_by_two();
    run.plan.experiments[0].axis = {{.key = "model.width", .values = {"8"}, .seeds = {}, .folds = {}}};
    run.add(make_result("plant", "cmr", 1, 0, {{"knn", 0.5}}), "model.width", "8");
    run.plan.experiments[0].methods = {"cmr", "ae"};
    run.add_failed("plant", "ae", 1, 0, "too large");
    const Outcome outcome = run.outcome();
    const Experiment& e = outcome.plan().experiments[0];
    EXPECT_EQ(outcome.of(e, "cmr").size(), 4u);
    EXPECT_EQ(outcome.of(e, "cmr", {"model.width", "8"}).size(), 1u);
    EXPECT_EQ(outcome.of(e, "cmr", {"model.width", "9"}).size(), 0u);
    EXPECT_EQ(shown(outcome.auroc(e, {"cmr", "knn"}, {"model.width", "8"})), "0.500");
    EXPECT_EQ(outcome.of(e, "ae").size(), 0u);
    ASSERT_EQ(outcome.failed(e, "ae").size(), 1u);
    EXPECT_EQ(outcome.failed(e, "ae")[0]->reason, "too large");
    EXPECT_EQ(outcome.failed(e, "cmr").size(), 0u);
    EXPECT_EQ(outcome.cell_of(*outcome.of(e, "cmr").back()).id, "plant-cmr-s2-f1");
}

std::vector<std::string> names(const std::vector<Line>& lines) {
    std::vector<std::string> out;
    for (const Line& line : lines) out.push_back(line.name());
    return out;
}

TEST(Outcome, HasTheMethodsOwnScoresFirstAndControlsOnce) {
    SmallRun run;
    run.add_experiment("plant", {"ae", "untrained", "cmr"}, {1});
    const test::Scores controls = {{"marginal", 0.5}, {"pca", 0.5}};
    test::Scores scores = {{"native", 0.5}, {"knn", 0.5}, {"marginal", 0.5}, {"mechanism", 0.5}, {"combined", 0.5}};
    run.add(make_result("plant", "ae", 1, 0, scores));
    scores.insert(scores.end(), controls.begin() + 1, controls.end());
    scores[0].first = "residual";
    run.add(make_result("plant", "untrained", 1, 0, scores));
    run.add(make_result("plant", "cmr", 1, 0, scores));
    const Outcome outcome = run.outcome();
    const Experiment& e = outcome.plan().experiments[0];
    EXPECT_THAT(
        names(outcome.lines(e)),
        ElementsAre("ae native", "ae knn", "ae mechanism", "untrained residual", "untrained knn", "untrained mechanism",
                    "cmr residual", "cmr knn", "cmr mechanism", "cmr combined", "control marginal", "control pca"));
    EXPECT_THAT(names(outcome.main_lines(e)),
                ElementsAre("ae knn", "untrained knn", "cmr knn", "cmr mechanism", "cmr combined", "control marginal"));
}

TEST(Outcome, TakesControlsFromTheFirstMethodWhereCmrIsNotAmongThem) {
    SmallRun run;
    run.add_experiment("plant", {"ae", "vae"}, {1});
    for (const char* method : {"ae", "vae"})
        run.add(make_result("plant", method, 1, 0, {{"native", 0.5}, {"marginal", 0.5}}));
    const Outcome outcome = run.outcome();
    const auto lines = outcome.lines(outcome.plan().experiments[0]);
    EXPECT_THAT(names(lines), ElementsAre("ae native", "vae native", "control marginal"));
    EXPECT_EQ(lines.back().method, "ae");
}

TEST(Outcome, IsReadFromTheFolderOfARun) {
    const cmr::test::TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    const SmallRun run = two_by_two();
    folder.write_plan(run.plan);
    folder.write_result(run.results.at("plant-cmr-s1-f0"));
    const Outcome outcome = Outcome::read(folder);
    EXPECT_EQ(outcome.plan().cells.size(), 4u);
    ASSERT_EQ(outcome.results().size(), 1u);
    EXPECT_EQ(outcome.results().begin()->second.scores[0].auroc, 0.90);
}

}  // namespace
}  // namespace cmr::study
