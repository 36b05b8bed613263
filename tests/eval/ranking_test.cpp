#include "eval/ranking.h"

#include <cmath>

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::kInfinity;
using test::kNan;
using test::Labels;
using test::Values;

double auroc_by_pairs(const Values& scores, const Labels& labels) {
    double won = 0, pairs = 0;
    for (size_t i = 0; i < scores.size(); ++i)
        for (size_t j = 0; j < scores.size(); ++j)
            if (labels[i] && !labels[j]) {
                won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
                ++pairs;
            }
    return won / pairs;
}

TEST(Auroc, CountsWonPairsAndHalfOfTheTies) {
    // Faulty 3 and 2 against healthy 2 and 1: won, won, tied, won.
    EXPECT_EQ(auroc(Values{3, 2, 2, 1}, Labels{1, 1, 0, 0}), 3.5 / 4);
    EXPECT_EQ(auroc(Values{1, 1, 1}, Labels{1, 0, 0}), 0.5);
    EXPECT_EQ(auroc(Values{kInfinity, 0, -kInfinity}, Labels{1, 1, 0}), 1);
    EXPECT_EQ(auroc(Values{kInfinity, kInfinity}, Labels{1, 0}), 0.5);
}

TEST(Auroc, IsTheFractionOfPairsWonForAnyScores) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        const auto [scores, labels] = test::make_sample(Rng(seed), 2 + 3 * seed, seed % 2 ? 2 : 1e6);
        EXPECT_NEAR(auroc(scores, labels), auroc_by_pairs(scores, labels), 1e-14);
    }
}

TEST(Auroc, TurnsRoundWithTheScoresAndWithTheLabels) {
    auto [scores, labels] = test::make_sample(Rng(1), 500, 3);
    const double area = auroc(scores, labels);
    EXPECT_NEAR(auroc(test::negated(scores), labels), 1 - area, 1e-15);
    for (uint8_t& label : labels) label = !label;
    EXPECT_NEAR(auroc(scores, labels), 1 - area, 1e-15);
}

TEST(Auroc, DoesNotChangeWithAnyRisingFunctionOfTheScores) {
    const auto [scores, labels] = test::make_sample(Rng(2), 500, 3);
    Values risen = scores;
    for (double& score : risen) score = std::exp(3 * score) - 7;
    EXPECT_EQ(auroc(risen, labels), auroc(scores, labels));
    EXPECT_EQ(average_precision(risen, labels), average_precision(scores, labels));
}

TEST(Roc, RisesFromNothingToEverythingAboveTheAuroc) {
    const auto curve = roc_curve(Values{3, 2, 2, 1}, Labels{1, 1, 0, 0});
    ASSERT_EQ(curve.size(), 4u);
    const double wanted[4][3] = {{kInfinity, 0, 0}, {3, 0, 0.5}, {2, 0.5, 1}, {1, 1, 1}};
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(curve[i].threshold, wanted[i][0]);
        EXPECT_EQ(curve[i].false_positive_rate, wanted[i][1]);
        EXPECT_EQ(curve[i].true_positive_rate, wanted[i][2]);
    }
}

TEST(Roc, HoldsTheAurocBelowIt) {
    const auto [scores, labels] = test::make_sample(Rng(3), 400, 2);
    const auto curve = roc_curve(scores, labels);
    double area = 0;
    for (size_t i = 1; i < curve.size(); ++i)
        area += (curve[i].false_positive_rate - curve[i - 1].false_positive_rate) *
                (curve[i].true_positive_rate + curve[i - 1].true_positive_rate) / 2;
    EXPECT_NEAR(area, auroc(scores, labels), 1e-14);
}

TEST(AveragePrecision, WeighsPrecisionByTheStepsOfRecall) {
    // Flagged from the top: faulty (1/1), healthy, faulty (2/3).
    EXPECT_DOUBLE_EQ(average_precision(Values{4, 3, 2, 1}, Labels{1, 0, 1, 0}), 0.5 * 1 + 0.5 * 2 / 3);
    EXPECT_DOUBLE_EQ(average_precision(Values{1, 1, 1, 1}, Labels{1, 0, 0, 0}), 0.25);  // the share of faulty ones
}

TEST(Ranking, AgreesWithScikitLearn) {
    if (!test::python_has("sklearn")) GTEST_SKIP() << "no python3-sklearn";
    for (const double levels : {1.0, 3.0, 1e9}) {
        const auto [scores, labels] = test::make_sample(Rng(4), 600, levels);
        const Values theirs = test::numbers_from_python({{"s", scores}, {"y", test::as_values(labels)}}, R"(
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
f, t, thresholds = roc_curve(y, s, drop_intermediate=False)
print(repr(float(roc_auc_score(y, s))), repr(float(average_precision_score(y, s))), len(f))
for row in zip(f, t, thresholds): print(*[repr(float(v)) for v in row])
)");
        const auto curve = roc_curve(scores, labels);
        ASSERT_EQ(theirs.size(), 3 + 3 * curve.size());
        EXPECT_NEAR(auroc(scores, labels), theirs[0], 1e-12);
        EXPECT_NEAR(average_precision(scores, labels), theirs[1], 1e-12);
        for (size_t i = 0; i < curve.size(); ++i) {
            EXPECT_NEAR(curve[i].false_positive_rate, theirs[3 + 3 * i], 1e-15);
            EXPECT_NEAR(curve[i].true_positive_rate, theirs[4 + 3 * i], 1e-15);
            if (i > 0) {
                EXPECT_EQ(curve[i].threshold, theirs[5 + 3 * i]);
            }
        }
    }
}

TEST(Strata, MeetAllHealthySamplesEach) {
    const Values scores{5, 1, 3, 2, 4};
    const Labels labels{1, 1, 1, 0, 0};
    const std::vector<int64_t> strata{7, 2, 7, 2, 9};  // those of the two healthy samples mean nothing
    const auto found = auroc_per_stratum(scores, labels, strata);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].stratum, 2);
    EXPECT_EQ(found[0].faulty, 1);
    EXPECT_EQ(found[0].auroc, 0);  // 1 is below 2 and 4
    EXPECT_EQ(found[1].stratum, 7);
    EXPECT_EQ(found[1].faulty, 2);
    EXPECT_EQ(found[1].auroc, 0.75);  // 5 above both, 3 above one
}

TEST(Strata, AddUpToTheWhole) {
    const auto [scores, labels] = test::make_sample(Rng(5), 300, 2);
    std::vector<int64_t> strata;
    for (size_t i = 0; i < scores.size(); ++i) strata.push_back(static_cast<int64_t>(i % 3));
    double sum = 0, faulty = 0;
    for (const StratumAuroc& s : auroc_per_stratum(scores, labels, strata))
        sum += s.auroc * static_cast<double>(s.faulty), faulty += static_cast<double>(s.faulty);
    EXPECT_NEAR(sum / faulty, auroc(scores, labels), 1e-14);
}

TEST(Ranking, SaysWhatItCannotRank) {
    using test::expect_input_error;
    expect_input_error([] { auroc(Values{}, Labels{}); }, {"no scores"});
    expect_input_error([] { auroc(Values{1, 2}, Labels{1}); }, {"2 scores but 1 labels"});
    expect_input_error([] { auroc(Values{1, kNan}, Labels{1, 0}); }, {"scores", "value 2 of 2 is NaN"});
    expect_input_error([] { auroc(Values{1, 2}, Labels{1, 1}); }, {"0 healthy and 2 faulty", "1 of each"});
    expect_input_error([] { roc_curve(Values{1, 2}, Labels{0, 0}); }, {"2 healthy and 0 faulty"});
    expect_input_error([] { average_precision(Values{1}, Labels{1}); }, {"0 healthy"});
    expect_input_error([] { auroc_per_stratum(Values{1, 2}, Labels{0, 1}, std::vector<int64_t>{1}); }, {"1 strata"});
}

}  // namespace
}  // namespace cmr::eval
