#include "eval/f1.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::kInfinity;
using test::kNan;
using test::Labels;
using test::Values;

BestF1 best_f1_point_adjusted(const Values& scores, const Labels& labels) {
    return eval::best_f1_point_adjusted(scores, labels, std::vector<int64_t>(labels.size(), 0));
}

BestF1 f1_at(const Labels& flags, const Labels& labels, double threshold) {
    double hits = 0, flagged = 0, faulty = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
        hits += flags[i] && labels[i] ? 1 : 0;
        flagged += flags[i] ? 1 : 0;
        faulty += labels[i] ? 1 : 0;
    }
    if (hits == 0) return {threshold, 0, 0, 0};
    const double precision = hits / flagged, recall = hits / faulty;
    return {threshold, precision, recall, 2 * precision * recall / (precision + recall)};
}

// As it is written: every score as threshold, and the adjustment made on the flags.
BestF1 best_by_trying(const Values& scores, const Labels& labels, bool adjust) {
    Values thresholds = scores;
    std::ranges::sort(thresholds, std::greater());
    BestF1 best{thresholds[0], 0, 0, 0};
    for (const double threshold : thresholds) {
        Labels flags;
        for (const double score : scores) flags.push_back(score >= threshold);
        for (size_t i = 0; adjust && i < flags.size(); ++i) {
            if (!flags[i] || !labels[i]) continue;
            for (size_t j = i; j < flags.size() && labels[j]; ++j) flags[j] = 1;
            for (size_t j = i + 1; j > 0 && labels[j - 1]; --j) flags[j - 1] = 1;
        }
        const BestF1 now = f1_at(flags, labels, threshold);
        if (now.f1 > best.f1 + 1e-12) best = now;
    }
    return best;
}

void expect_equal(const BestF1& ours, const BestF1& wanted) {
    EXPECT_EQ(ours.threshold, wanted.threshold);
    EXPECT_NEAR(ours.precision, wanted.precision, 1e-14);
    EXPECT_NEAR(ours.recall, wanted.recall, 1e-14);
    EXPECT_NEAR(ours.f1, wanted.f1, 1e-14);
}

TEST(BestF1, FindsTheThresholdThatBalancesBest) {
    // At 0.9: P 1, R 1/3. At 0.8: 1/2, 1/3. At 0.7: 2/3, 2/3. At 0.4: 3/5, 1 and so F1 = 3/4.
    expect_equal(best_f1(Values{0.1, 0.9, 0.7, 0.4, 0.8, 0.4}, Labels{0, 1, 1, 1, 0, 0}), {0.4, 0.6, 1, 0.75});
}

TEST(BestF1, PrefersTheHigherOfTwoEqualThresholds) {
    // At 3: P 1, R 1/2. At 1: P 2/4, R 1. Both F1 = 2/3.
    expect_equal(best_f1(Values{3, 1, 2, 1}, Labels{1, 1, 0, 0}), {3, 1, 0.5, 2.0 / 3});
}

TEST(BestF1, CountsAWholeAnomalyWhenAdjusted) {
    const Values scores{0, 9, 0, 0, 5, 0};
    const Labels labels{0, 1, 1, 1, 0, 0};
    expect_equal(best_f1(scores, labels), {0, 0.5, 1, 2.0 / 3});  // flag everything
    expect_equal(best_f1_point_adjusted(scores, labels), {9, 1, 1, 1});
}

TEST(BestF1, IsWhatTryingEveryThresholdGives) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const auto [scores, labels] = test::make_sample(Rng(seed), 2 + 3 * seed, seed % 2 ? 2 : 1e6);
        expect_equal(best_f1(scores, labels), best_by_trying(scores, labels, false));
        expect_equal(best_f1_point_adjusted(scores, labels), best_by_trying(scores, labels, true));
        EXPECT_GE(best_f1_point_adjusted(scores, labels).f1, best_f1(scores, labels).f1 - 1e-14);
    }
}

// Why the adjusted one is called inflated: scores that know nothing, and ten anomalies of 100 points in 10,000.
TEST(BestF1, AdjustedIsHighForScoresThatKnowNothing) {
    Rng rng(6);
    Values scores;
    Labels labels;
    for (int64_t i = 0; i < 10'000; ++i) {
        scores.push_back(rng.uniform());
        labels.push_back(i % 1000 < 100);
    }
    EXPECT_LT(best_f1(scores, labels).f1, 0.25);
    EXPECT_GT(best_f1_point_adjusted(scores, labels).f1, 0.7);
}

TEST(BestF1, AgreesWithScikitLearn) {
    if (!test::python_has("sklearn")) GTEST_SKIP() << "no python3-sklearn";
    const auto [scores, labels] = test::make_sample(Rng(7), 600, 4);
    const Values theirs = test::numbers_from_python({{"s", scores}, {"y", test::as_values(labels)}}, R"(
from sklearn.metrics import f1_score
for t in np.unique(s)[::-1]: print(repr(float(t)), repr(float(f1_score(y, s >= t))))
)");
    double best = 0, threshold = 0;
    for (size_t i = 0; i + 1 < theirs.size(); i += 2)
        if (theirs[i + 1] > best + 1e-12) threshold = theirs[i], best = theirs[i + 1];
    EXPECT_NEAR(best_f1(scores, labels).f1, best, 1e-12);
    EXPECT_EQ(best_f1(scores, labels).threshold, threshold);
}

TEST(PointScores, AreTheGreatestOfTheCoveringWindows) {
    // Windows of 3 at 0, 2 and 3 of 8 points; point 6 and 7 are in none.
    EXPECT_THAT(point_scores(Values{5, 1, 2}, std::vector<int64_t>{0, 2, 3}, 3, 8),
                testing::ElementsAre(5, 5, 5, 2, 2, 2, -kInfinity, -kInfinity));
}

TEST(F1, SaysWhatIsWrong) {
    using test::expect_input_error;
    expect_input_error([] { best_f1(Values{}, Labels{}); }, {"no scores"});
    expect_input_error([] { best_f1(Values{1, kNan}, Labels{0, 1}); }, {"NaN"});
    expect_input_error([] { best_f1_point_adjusted(Values{1, 1}, Labels{1, 1}); }, {"0 healthy and 2 faulty"});
    using Begins = std::vector<int64_t>;
    expect_input_error([] { point_scores(Values{}, Begins{}, 3, 8); }, {"no window scores"});
    expect_input_error([] { point_scores(Values{1}, Begins{}, 3, 8); }, {"1 window scores but 0"});
    expect_input_error([] { point_scores(Values{1}, Begins{6}, 3, 8); }, {"window 1", "6 to 8", "0 to 7"});
    expect_input_error([] { point_scores(Values{1}, Begins{0}, 0, 8); }, {"windows of 0"});
    expect_input_error([] { point_scores(Values{kNan}, Begins{0}, 1, 8); }, {"NaN"});
}

}  // namespace
}  // namespace cmr::eval
