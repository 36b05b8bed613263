#include "base/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace cmr {
namespace {

std::vector<uint64_t> draws(Rng rng, int count = 100) {
    std::vector<uint64_t> values;
    for (int i = 0; i < count; ++i) values.push_back(rng.next());
    return values;
}

TEST(Rng, RepeatsItsDrawsForTheSameSeed) {
    EXPECT_EQ(draws(Rng(7)), draws(Rng(7)));
    EXPECT_NE(draws(Rng(7)), draws(Rng(8)));
}

// Seed 0 gives splitmix64 begun at state mix(golden); the draws are part of what a stored recipe promises.
TEST(Rng, NeverChangesItsSequence) {
    Rng rng(0);
    const uint64_t first = rng.next(), second = rng.next();
    EXPECT_EQ(first, Rng::mix(Rng::mix(0x9e3779b97f4a7c15u) + 0x9e3779b97f4a7c15u));
    EXPECT_NE(first, second);
    EXPECT_EQ(Rng::mix(0x9e3779b97f4a7c15u), 0xe220a8397b1dcdafu);  // first output of splitmix64 from state 0
}

TEST(Rng, SplitsTheSameWayForTheSameName) {
    const Rng rng(1);
    EXPECT_EQ(draws(rng.split("shuffle")), draws(rng.split("shuffle")));
    EXPECT_EQ(draws(rng.split(5)), draws(rng.split(5)));
}

TEST(Rng, GivesEverySplitItsOwnDraws) {
    const Rng rng(1);
    std::set<uint64_t> seen;
    size_t total = 0;
    const auto add = [&](const Rng& stream) {
        for (const uint64_t draw : draws(stream)) seen.insert(draw), ++total;
    };
    add(rng);
    for (uint64_t index = 0; index < 100; ++index) add(rng.split(index));
    for (const char* name : {"", "init", "shuffle", "elffuhs", "init2"}) add(rng.split(name));
    add(rng.split("init").split("shuffle"));
    add(rng.split("shuffle").split("init"));
    add(Rng(2).split("init"));
    EXPECT_EQ(seen.size(), total);
}

TEST(Rng, DrawsOfASplitDoNotFollowThoseOfItsParent) {
    Rng parent(3), child = parent.split("child");
    double sum = 0;
    const int count = 100'000;
    for (int i = 0; i < count; ++i) sum += parent.normal() * child.normal();
    EXPECT_NEAR(sum / count, 0.0, 4 / std::sqrt(count));  // four standard errors of a correlation of 0
}

TEST(Rng, SplittingLeavesTheParentAsItWas) {
    const Rng rng(1);
    const auto before = draws(rng);
    static_cast<void>(rng.split("a"));
    EXPECT_EQ(draws(rng), before);
}

TEST(Rng, UniformFillsItsRangeEvenly) {
    Rng rng(4);
    const int count = 200'000;
    double sum = 0, squares = 0, lowest = 1, highest = 0;
    for (int i = 0; i < count; ++i) {
        const double value = rng.uniform();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        sum += value, squares += value * value;
        lowest = std::min(lowest, value), highest = std::max(highest, value);
    }
    const double mean = sum / count;
    EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(1.0 / 12 / count));
    EXPECT_NEAR(squares / count - mean * mean, 1.0 / 12, 0.001);
    EXPECT_LT(lowest, 1e-4);
    EXPECT_GT(highest, 1 - 1e-4);
}

TEST(Rng, UniformTakesBounds) {
    Rng rng(5);
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double value = rng.uniform(-3, 5);
        ASSERT_GE(value, -3);
        ASSERT_LT(value, 5);
        sum += value;
    }
    EXPECT_NEAR(sum / 10'000, 1.0, 4 * 8 / std::sqrt(12.0 * 10'000));
}

TEST(Rng, NormalHasTheMomentsOfANormal) {
    Rng rng(6);
    const int count = 400'000;
    double powers[5] = {};
    for (int i = 0; i < count; ++i) {
        const double value = rng.normal();
        ASSERT_TRUE(std::isfinite(value));
        for (int p = 1; p <= 4; ++p) powers[p] += std::pow(value, p) / count;
    }
    // Four standard errors each: the variance of x^p is 1, 2, 15 and 96.
    const double root = std::sqrt(count);
    EXPECT_NEAR(powers[1], 0, 4 / root);
    EXPECT_NEAR(powers[2], 1, 4 * std::sqrt(2) / root);
    EXPECT_NEAR(powers[3], 0, 4 * std::sqrt(15) / root);
    EXPECT_NEAR(powers[4], 3, 4 * std::sqrt(96) / root);
}

TEST(Rng, BelowStaysBelowForEveryKindOfBound) {
    Rng rng(7);
    const std::vector<uint64_t> bounds{1, 2, 3, 10, 1u << 31, (uint64_t{1} << 63) + 1, UINT64_MAX};
    for (const uint64_t bound : bounds)
        for (int i = 0; i < 1000; ++i) ASSERT_LT(rng.below(bound), bound);
}

TEST(Rng, BelowReachesEveryValueEquallyOften) {
    Rng rng(8);
    const int bound = 7, count = 140'000;
    std::vector<int> hits(bound);
    for (int i = 0; i < count; ++i) ++hits[rng.below(bound)];
    double chi_squared = 0;
    const double expected = static_cast<double>(count) / bound;
    for (const int hit : hits) chi_squared += (hit - expected) * (hit - expected) / expected;
    EXPECT_LT(chi_squared, 22.5);  // 99.9 % of a chi-squared with 6 degrees of freedom
}

// With a bound of 2/3 of the range a plain `next() % bound` would hit the lower half twice as often.
TEST(Rng, BelowIsFairWhenTheBoundDoesNotDivideTheRange) {
    Rng rng(9);
    const uint64_t bound = UINT64_MAX / 3 * 2;
    const int count = 100'000;
    int lower = 0;
    for (int i = 0; i < count; ++i) lower += rng.below(bound) < bound / 2 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(lower) / count, 0.5, 4 * 0.5 / std::sqrt(count));
}

}  // namespace
}  // namespace cmr
