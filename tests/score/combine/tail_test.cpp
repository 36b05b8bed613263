#include "score/combine/tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

// Pareto: P(score > s) = s^-3 for s ≥ 1. On a logarithmic scale its tail is exactly exponential.
std::vector<float> pareto(int64_t count, uint64_t seed) {
    std::vector<float> out(count);
    Rng rng(seed);
    for (float& value : out) value = static_cast<float>(std::pow(1 - rng.uniform(), -1.0 / 3));
    return out;
}

TEST(Tail, IsThatOfAParetoDistribution) {
    const Tail tail(pareto(20'000, 1));
    for (const double s : {1.5, 2.0, 3.0, 5.0, 10.0, 100.0})
        EXPECT_NEAR(std::log(tail.p_value(s)), -3 * std::log(s), 0.05 * 3 * std::log(s)) << "at " << s;
}

TEST(Tail, PValuesOfHealthyScoresAreUniform) {
    const Tail tail(pareto(5'000, 1));
    const std::vector<float> fresh = pareto(5'000, 2);
    for (const double p : {0.01, 0.05, 0.2, 0.5, 0.9}) {
        const auto below = std::ranges::count_if(fresh, [&](float s) { return tail.p_value(s) <= p; });
        EXPECT_NEAR(static_cast<double>(below) / 5'000, p, 4 * std::sqrt(p * (1 - p) / 2'500)) << p;
    }
}

TEST(Tail, PValuesFallWithoutAJumpUpwards) {
    for (const int64_t count : {10, 11, 37, 1000}) {
        const Tail tail(pareto(count, 3));
        double before = 1;
        for (double s = 0.9; s < 50; s *= 1.001) {
            const double p = tail.p_value(s);
            EXPECT_LE(p, before) << count << " scores, at " << s;
            before = p;
        }
        EXPECT_LE(tail.p_value(0.5), 1);
    }
}

TEST(Tail, NothingIsImpossible) {
    const Tail tail(pareto(1000, 1)), flat(std::vector<float>(100, 2.0f));
    for (const double s : {1e3, 1e6, 1e30, 1e300}) {
        EXPECT_GT(tail.p_value(s), 0);
        EXPECT_GT(flat.p_value(s), 0);
    }
    EXPECT_LT(tail.p_value(1e6), 1e-15);
    EXPECT_EQ(flat.p_value(2), 1);
    EXPECT_LE(flat.p_value(2.1), 0.1);
    EXPECT_LE(tail.p_value(0), 1);
}

TEST(Tail, NeedsTenScores) {
    test::expect_input_error([] { Tail(std::vector<float>(9, 1.0f)); }, {"9 healthy scores", "10"});
}

}  // namespace
}  // namespace cmr::score
