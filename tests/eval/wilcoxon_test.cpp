#include "eval/wilcoxon.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::kInfinity;
using test::kNan;
using test::Values;

TEST(Wilcoxon, WorkedByHand) {
    // Differences 1, 2, −3, 4: ranks 1, 2, 4 for a and 3 for b. Subsets of {1, 2, 3, 4} with a sum up to 3: {}, {1},
    // {2}, {3}, {1, 2}, so p = 2 · 5/16.
    const SignedRank result = wilcoxon_signed_rank(Values{1, 2, 0, 4}, Values{0, 0, 3, 0});
    EXPECT_EQ(result.pairs, 4);
    EXPECT_EQ(result.rank_sum_a, 7);
    EXPECT_EQ(result.rank_sum_b, 3);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.p_value, 0.625);
}

TEST(Wilcoxon, CannotSettleAnythingWithThreeSeeds) {
    EXPECT_EQ(wilcoxon_signed_rank(Values{9, 8, 7}, Values{1, 2, 3}).p_value, 0.25);  // 2 · 1/8, the least there is
    EXPECT_EQ(wilcoxon_signed_rank(Values{1}, Values{0}).p_value, 1);
}

// All 2ⁿ signs, one by one.
double p_by_enumeration(const Values& differences) {
    const auto n = static_cast<int>(differences.size());
    double t = 0, other = 0;
    Values ranks;
    for (const double d : differences) {
        double rank = 1;
        for (const double e : differences) rank += std::abs(e) < std::abs(d) ? 1 : 0;
        ranks.push_back(rank);
        (d > 0 ? t : other) += rank;
    }
    t = std::min(t, other);
    double as_extreme = 0;
    for (int signs = 0; signs < 1 << n; ++signs) {
        double w = 0;
        for (int i = 0; i < n; ++i) w += signs >> i & 1 ? ranks[i] : 0;
        as_extreme += w <= t ? 1 : 0;
    }
    return std::min(1.0, 2 * as_extreme / (1 << n));
}

TEST(Wilcoxon, IsExactWithoutTies) {
    Rng rng(1);
    for (int n = 1; n <= 14; ++n) {
        Values a;
        for (int i = 0; i < n; ++i) a.push_back(rng.normal() + 0.3);
        const SignedRank result = wilcoxon_signed_rank(a, Values(n, 0.0));
        EXPECT_TRUE(result.exact);
        EXPECT_DOUBLE_EQ(result.p_value, p_by_enumeration(a)) << n;
    }
}

TEST(Wilcoxon, TreatsBothMethodsAlike) {
    Rng rng(2);
    for (const int n : {5, 15, 25, 26, 40}) {
        Values a, b;
        for (int i = 0; i < n; ++i) a.push_back(rng.normal() + 0.5), b.push_back(rng.normal());
        const SignedRank one = wilcoxon_signed_rank(a, b), other = wilcoxon_signed_rank(b, a);
        EXPECT_EQ(one.p_value, other.p_value);
        EXPECT_EQ(one.rank_sum_a, other.rank_sum_b);
        EXPECT_EQ(one.rank_sum_a + one.rank_sum_b, n * (n + 1) / 2);
        EXPECT_EQ(one.exact, n <= 25);
    }
}

TEST(Wilcoxon, AgreesWithSciPy) {
    if (!test::python_has("scipy")) GTEST_SKIP() << "no python3-scipy";
    Rng rng(3);
    std::vector<std::pair<std::string, Values>> arrays;
    std::string script = "import warnings\nfrom scipy.stats import wilcoxon\nwarnings.simplefilter('ignore')\n";
    std::vector<SignedRank> ours;
    for (const int n : {2, 6, 15, 25, 26, 60})
        for (const double levels : {2.0, 1e9}) {  // whole halves have ties and zeros
            Values a, b;
            for (int i = 0; i < n; ++i) {
                a.push_back(std::round((rng.normal() + 0.4) * levels) / levels);
                b.push_back(std::round(rng.normal() * levels) / levels);
            }
            a[0] = b[0] + 1;  // at least one pair differs
            ours.push_back(wilcoxon_signed_rank(a, b));
            const auto name = std::to_string(ours.size());
            arrays.push_back({"a" + name, a});
            arrays.push_back({"b" + name, b});
            script += fmt::format("r = wilcoxon(a{0}, b{0}, zero_method='wilcox', correction=False, mode='{1}')\n",
                                  name, ours.back().exact ? "exact" : "approx");
            script += "print(repr(float(r.statistic)), repr(float(r.pvalue)))\n";
        }
    const Values theirs = test::numbers_from_python(arrays, script);
    ASSERT_EQ(theirs.size(), 2 * ours.size());
    int exact = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
        EXPECT_EQ(std::min(ours[i].rank_sum_a, ours[i].rank_sum_b), theirs[2 * i]);
        EXPECT_NEAR(ours[i].p_value, theirs[2 * i + 1], 1e-12);
        exact += ours[i].exact ? 1 : 0;
    }
    EXPECT_GE(exact, 4);
    EXPECT_LE(exact, 8);
}

TEST(Holm, WorkedByHand) {
    // Ascending 0.01, 0.02, 0.03, 0.2 times 4, 3, 2, 1; 0.03 takes the 0.06 before it.
    EXPECT_THAT(holm(Values{0.03, 0.01, 0.2, 0.02}),
                testing::ElementsAre(testing::DoubleEq(0.06), 0.04, 0.2, testing::DoubleEq(0.06)));
    EXPECT_THAT(holm(Values{0.5, 0.6}), testing::ElementsAre(1, 1));
    EXPECT_THAT(holm(Values{0.3}), testing::ElementsAre(0.3));
}

// Rejecting by the adjusted values is Holm's step-down procedure: go up from the least p while p ≤ level/(m − i).
TEST(Holm, RejectsWhatTheStepDownProcedureRejects) {
    Rng rng(4);
    for (int round = 0; round < 50; ++round) {
        Values p;
        for (int i = 0; i < 8; ++i) p.push_back(std::pow(rng.uniform(), 3));
        const Values adjusted = holm(p);
        Values sorted = p;
        std::ranges::sort(sorted);
        double last = -1;  // the greatest p that is rejected
        for (size_t i = 0; i < sorted.size() && sorted[i] <= 0.05 / static_cast<double>(sorted.size() - i); ++i)
            last = sorted[i];
        for (size_t i = 0; i < p.size(); ++i) EXPECT_EQ(adjusted[i] <= 0.05, p[i] <= last);
    }
}

TEST(Wilcoxon, SaysWhatIsWrong) {
    using test::expect_input_error;
    expect_input_error([] { wilcoxon_signed_rank(Values{}, Values{}); }, {"no values"});
    expect_input_error([] { wilcoxon_signed_rank(Values{1, 2}, Values{1}); }, {"2 values against 1"});
    expect_input_error([] { wilcoxon_signed_rank(Values{1, 2}, Values{1, 2}); }, {"all 2 pairs are equal"});
    expect_input_error([] { wilcoxon_signed_rank(Values{1}, Values{kNan}); }, {"second method", "NaN"});
    expect_input_error([] { wilcoxon_signed_rank(Values{kInfinity}, Values{1}); }, {"first method", "inf"});
    expect_input_error([] { holm(Values{}); }, {"no p-values"});
    expect_input_error([] { holm(Values{0.5, 1.5}); }, {"1.5", "between 0 and 1"});
}

}  // namespace
}  // namespace cmr::eval
