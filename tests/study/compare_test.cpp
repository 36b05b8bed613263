#include "study/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/small_run.h"
#include "support/expect_input_error.h"

namespace cmr::study {
namespace {

using cmr::test::expect_input_error;
using test::cell_of;
using test::make_result;
using test::SmallRun;
using testing::HasSubstr;
using testing::StartsWith;

// `auroc`: of one seed after the other, on two folds each.
SmallRun run_with(const std::vector<double>& auroc, const std::string& experiment = "plant") {
    SmallRun run;
    run.add_experiment(experiment, {"cmr"}, {1});
    for (size_t i = 0; i < auroc.size(); ++i) {
        const auto seed = static_cast<int64_t>(i / 2) + 1, fold = static_cast<int64_t>(i % 2);
        run.add(make_result(experiment, "cmr", seed, fold, {{"knn", auroc[i]}}));
    }
    return run;
}

const std::vector<double> kBefore = {0.81, 0.92, 0.83, 0.94, 0.79, 0.88};

std::string verdict(const std::vector<double>& before, const std::vector<double>& after) {
    const auto tables = compare(run_with(before).outcome(), run_with(after).outcome());
    EXPECT_EQ(tables.size(), 1u);
    EXPECT_EQ(tables[0].name, "plant-change");
    return cell_of(tables[0], "cmr knn", "verdict");
}

std::vector<double> shifted(std::vector<double> values, const std::vector<double>& by) {
    for (size_t i = 0; i < values.size(); ++i) values[i] += by[i % by.size()];
    return values;
}

TEST(Compare, OfTheSameRunIsTheSame) {
    EXPECT_EQ(verdict(kBefore, kBefore), "the same");
    EXPECT_EQ(verdict({0.9}, {0.9}), "the same");
}

TEST(Compare, AShiftOfAllPairsIsMoreThanNoise) {
    EXPECT_THAT(verdict(kBefore, shifted(kBefore, {0.02})), StartsWith("more than noise (p = "));
    EXPECT_THAT(verdict(kBefore, shifted(kBefore, {-0.01, -0.02, -0.03})), StartsWith("more than noise (p = "));
    // Six of six, none as large as another: 2 of 64 signs.
    EXPECT_EQ(verdict(kBefore, shifted(kBefore, {0.01, 0.02, 0.03, 0.04, 0.05, 0.06})), "more than noise (p = 0.031)");
}

TEST(Compare, UpAndDownIsNoise) {
    EXPECT_THAT(verdict(kBefore, shifted(kBefore, {0.011, -0.012, 0.013, -0.014, 0.015, -0.016})),
                StartsWith("within noise (p = "));
    EXPECT_EQ(verdict({0.8, 0.9, 0.8}, {0.83, 0.88, 0.81}), "within noise");
}

TEST(Compare, OfFewPairsGoesByTheStandardError) {
    // Differences 0.03, 0.02, 0.04: mean 0.03, deviation 0.01, error 0.01 / √3.
    EXPECT_EQ(verdict({0.8, 0.9, 0.8}, {0.83, 0.92, 0.84}), "more than two standard errors (0.0058)");
    EXPECT_EQ(verdict({0.8}, {0.9}), "one pair: cannot be told");
}

TEST(Compare, ShowsBothMeansOfThePairs) {
    // The later run has a pair less.
    const auto tables = compare(run_with({0.8, 0.9, 0.5}).outcome(), run_with({0.85, 0.93}).outcome());
    EXPECT_EQ(cell_of(tables[0], "cmr knn", "pairs"), "2");
    EXPECT_EQ(cell_of(tables[0], "cmr knn", "before"), "0.8500");
    EXPECT_EQ(cell_of(tables[0], "cmr knn", "after"), "0.8900");
    EXPECT_EQ(cell_of(tables[0], "cmr knn", "difference"), "+0.0400");
}

TEST(Compare, PairsBySeedAndFoldAndNotByOrder) {
    SmallRun before = run_with({0.81, 0.92, 0.83}), after = before;
    std::ranges::reverse(after.plan.uses);
    EXPECT_EQ(cell_of(compare(before.outcome(), after.outcome())[0], "cmr knn", "verdict"), "the same");
}

TEST(Compare, RefusesRunsWithNothingInCommon) {
    expect_input_error([] { compare(run_with({0.9}, "a").outcome(), run_with({0.9}, "b").outcome()); },
                       {"no finished experiment", "in common"});
    SmallRun failed = run_with({});
    failed.add_failed("plant", "cmr", 1, 0, "none");
    expect_input_error([&] { compare(run_with({0.9}).outcome(), failed.outcome()); }, {"in common"});
}

}  // namespace
}  // namespace cmr::study
