#include "eval/coverage.h"

#include <cmath>

#include "eval/ranking.h"
#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::kInfinity;
using test::kNan;
using test::Labels;
using test::Values;

TEST(Coverage, IsTheRatioOfTheMeans) {
    EXPECT_EQ(coverage_ratio(Values{1, 3}, Values{5, 6, 7}), 3);
    EXPECT_EQ(coverage_ratio(Values{2, 4}, Values{3}), 1);
}

TEST(Spearman, WorkedByHand) {
    EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 3}, Values{10, 100, 1000}), 1);
    EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 3}, Values{3, 2, 1}), -1);
    // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: deviations from 2.5 give 4.5 / √(4.5 · 5).
    EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 2, 3}, Values{1, 3, 2, 4}), 4.5 / std::sqrt(22.5));
}

TEST(Spearman, IsSymmetricAndTurnsWithASign) {
    const auto [a, labels] = test::make_sample(Rng(1), 200, 2);
    const auto [b, unused] = test::make_sample(Rng(2), 200, 2);
    EXPECT_EQ(spearman(a, b), spearman(b, a));
    EXPECT_NEAR(spearman(a, test::negated(b)), -spearman(a, b), 1e-15);
}

TEST(Monotonicity, WorkedByHand) {
    // Severities 0, 1, 1, 2 and scores 1, 2, 1, 2: of five pairs three are won (1<2, 1<2, 1<2) and two tied.
    const Monotonicity found = severity_monotonicity(Values{0, 1, 1, 2}, Values{1, 2, 1, 2});
    EXPECT_EQ(found.pairs, 5);
    EXPECT_DOUBLE_EQ(found.concordant, 4.0 / 5);
    EXPECT_EQ(found.spearman, spearman(Values{0, 1, 1, 2}, Values{1, 2, 1, 2}));
}

TEST(Monotonicity, IsTheFractionOfPairsInOrder) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        Rng rng(seed);
        Values severities{0, 1}, scores{0, 1};
        for (uint64_t i = 0; i < 2 * seed; ++i) {
            severities.push_back(static_cast<double>(rng.below(4)));
            scores.push_back(std::round(severities.back() + 3 * rng.normal()));
        }
        double won = 0;
        int64_t pairs = 0;
        for (size_t i = 0; i < scores.size(); ++i)
            for (size_t j = 0; j < scores.size(); ++j)
                if (severities[i] > severities[j]) {
                    won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
                    ++pairs;
                }
        const Monotonicity found = severity_monotonicity(severities, scores);
        EXPECT_EQ(found.pairs, pairs);
        EXPECT_NEAR(found.concordant, won / static_cast<double>(pairs), 1e-14);
    }
}

TEST(Monotonicity, IsTheAurocForTwoSeverities) {
    const auto [scores, labels] = test::make_sample(Rng(3), 300, 2);
    const Monotonicity found = severity_monotonicity(test::as_values(labels), scores);
    EXPECT_NEAR(found.concordant, auroc(scores, labels), 1e-14);
}

TEST(TotalVariation, WorkedByHand) {
    // Bins 0 … 2 and 2 … 4: shares ½, ½ against 0, 1.
    EXPECT_DOUBLE_EQ(total_variation(Values{0, 1, 2, 4}, Values{3, 3}, 2), 0.5);
    EXPECT_DOUBLE_EQ(total_variation(Values{0, 1}, Values{9, 10}, 5), 1);
    EXPECT_EQ(total_variation(Values{1, 2, 3}, Values{3, 2, 1}, 7), 0);
    EXPECT_EQ(total_variation(Values{5, 5}, Values{5}, 3), 0);
    EXPECT_EQ(total_variation(Values{0, 1}, Values{9, 10}, 1), 0);  // one bin tells nothing
    EXPECT_EQ(total_variation(Values{-1e308}, Values{1e308}, 4), 1);
}

TEST(TotalVariation, IsSymmetricBoundedAndBlindToScale) {
    const Values a = test::make_sample(Rng(4), 300, 1e6).scores, b = test::make_sample(Rng(5), 200, 1e6).scores;
    const double distance = total_variation(a, b, 20);
    EXPECT_EQ(distance, total_variation(b, a, 20));
    EXPECT_GT(distance, 0);
    EXPECT_LT(distance, 1);
    Values doubled_a = a, doubled_b = b;
    for (double& value : doubled_a) value *= 4;
    for (double& value : doubled_b) value *= 4;
    EXPECT_EQ(total_variation(doubled_a, doubled_b, 20), distance);
}

TEST(TotalVariation, HasTheBiasThatTheManualStates) {
    Rng rng(6);
    double mean = 0;
    for (int round = 0; round < 50; ++round) {
        Values a, b;
        for (int i = 0; i < 2000; ++i) a.push_back(rng.uniform()), b.push_back(rng.uniform());
        mean += total_variation(a, b, 20) / 50;
    }
    EXPECT_NEAR(mean, 0.56 * std::sqrt(20 / 2000.0), 0.005);
}

TEST(Coverage, AgreesWithSciPyAndNumPy) {
    if (!test::python_has("scipy")) GTEST_SKIP() << "no python3-scipy";
    const Values a = test::make_sample(Rng(7), 400, 2).scores, b = test::make_sample(Rng(8), 400, 3).scores;
    const Values smooth = test::make_sample(Rng(9), 300, 1e9).scores;
    const Values theirs = test::numbers_from_python({{"a", a}, {"b", b}, {"c", smooth}}, R"(
from scipy.stats import spearmanr
print(repr(float(spearmanr(a, b)[0])), repr(float(b.mean() / a.mean())))
e = np.histogram_bin_edges(np.concatenate([c[:120], c[120:] * 2]), 15)
p, q = np.histogram(c[:120], e)[0] / 120, np.histogram(c[120:] * 2, e)[0] / 180
print(repr(float(abs(p - q).sum() / 2)))
)");
    ASSERT_EQ(theirs.size(), 3u);
    EXPECT_NEAR(spearman(a, b), theirs[0], 1e-12);
    EXPECT_NEAR(coverage_ratio(a, b), theirs[1], 1e-10);
    Values rest(smooth.begin() + 120, smooth.end());
    for (double& value : rest) value *= 2;
    EXPECT_NEAR(total_variation(Values(smooth.begin(), smooth.begin() + 120), rest, 15), theirs[2], 1e-12);
}

TEST(Coverage, SaysWhatIsWrong) {
    using test::expect_input_error;
    expect_input_error([] { coverage_ratio(Values{}, Values{1}); }, {"no healthy distances"});
    expect_input_error([] { coverage_ratio(Values{1}, Values{kInfinity}); }, {"faulty distances", "inf"});
    expect_input_error([] { coverage_ratio(Values{0, 0}, Values{1}); }, {"is 0", "in the bank"});
    expect_input_error([] { spearman(Values{1, 2}, Values{1}); }, {"2 values against 1"});
    expect_input_error([] { spearman(Values{1, 1}, Values{1, 2}); }, {"first sample", "all 2 are 1"});
    expect_input_error([] { spearman(Values{}, Values{}); }, {"no values"});
    expect_input_error([] { severity_monotonicity(Values{2, 2}, Values{1, 2}); }, {"severities: all 2 are 2"});
    expect_input_error([] { severity_monotonicity(Values{1, 2}, Values{3, 3}); }, {"scores: all 2 are 3"});
    expect_input_error([] { severity_monotonicity(Values{1, kNan}, Values{3, 3}); }, {"NaN"});
    expect_input_error([] { total_variation(Values{1}, Values{}, 3); }, {"no values of the second"});
    expect_input_error([] { total_variation(Values{1}, Values{2}, 0); }, {"0 bins"});
}

}  // namespace
}  // namespace cmr::eval
