#include "score/calibrate/clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"

namespace cmr::score {
namespace {

constexpr double kHalfLife = 20;
constexpr double kPeriod = 5;  // seconds from window to window

// Like a combined score: above 0, and skewed.
std::vector<double> scores(int64_t count, uint64_t seed, double shift = 0) {
    Rng rng(seed);
    std::vector<double> out;
    for (int64_t i = 0; i < count; ++i) out.push_back(std::log1p(std::exp(rng.normal() + shift)));
    return out;
}

HealthyTrace healthy(int64_t count) {
    HealthyTrace out{.score = scores(count, 1), .end_s = {}, .segment = {}, .period_s = kPeriod};
    for (int64_t i = 0; i < count; ++i) {
        out.end_s.push_back(kPeriod * static_cast<double>(i));
        out.segment.push_back(i < count / 2 ? 0 : 1);
    }
    return out;
}

double share_above(std::vector<double> values, double line) {
    return static_cast<double>(std::ranges::count_if(values, [&](double v) { return v > line; })) /
           static_cast<double>(values.size());
}

TEST(Clocks, MeanHalvesItsDistanceInTheHalfLife) {
    const Clocks clocks(healthy(1000), kHalfLife);
    double mean = clocks.usual();
    const double far = clocks.usual() + 8;
    for (int i = 0; i < 4; ++i) mean = clocks.next(mean, far, kPeriod);
    EXPECT_NEAR(mean, clocks.usual() + 4, 1e-9);
    // In larger steps it is the same.
    EXPECT_NEAR(clocks.next(clocks.usual(), far, 4 * kPeriod), mean, 1e-9);
}

TEST(Clocks, BothAreEquallyOftenHighInHealthyData) {
    const HealthyTrace trace = healthy(20'000);
    const Clocks clocks(trace, kHalfLife);
    const std::vector<double> slow = clocks.slow(trace.score, trace.segment, kPeriod);
    std::vector<double> sorted = trace.score;
    std::ranges::sort(sorted);
    const double line = sorted[sorted.size() * 9 / 10];
    EXPECT_NEAR(share_above(slow, line), 0.1, 0.001);
    const auto excess = [&](const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += std::max(0.0, v - line);
        return sum / static_cast<double>(values.size());
    };
    EXPECT_NEAR(excess(slow), excess(trace.score), 0.01 * excess(trace.score));
}

TEST(Clocks, SlowOneSeesWhatIsLittleAndLastsAndFastOneWhatIsShort) {
    const Clocks clocks(healthy(20'000), kHalfLife);
    const std::vector<int32_t> together(400, 0);
    std::vector<double> sorted = scores(20'000, 1);
    std::ranges::sort(sorted);
    const double line = sorted[sorted.size() * 99 / 100];
    const std::vector<double> lasting = scores(400, 3, 1.5);
    EXPECT_GT(share_above(clocks.slow(lasting, together, kPeriod), line), 2 * share_above(lasting, line));
    std::vector<double> spike = scores(400, 4);
    std::ranges::fill(spike, clocks.usual());
    spike[200] = 1.2 * line;
    EXPECT_EQ(share_above(clocks.slow(spike, together, kPeriod), line), 0);
    EXPECT_EQ(share_above(spike, line), 1.0 / 400);
}

TEST(Clocks, AnAlarmEndsSoonAfterALoudFault) {
    const Clocks clocks(healthy(20'000), kHalfLife);
    // However loud: after it the mean is where a fault of ten deviations would have left it.
    double loud = clocks.usual(), usual = clocks.usual();
    for (int i = 0; i < 100; ++i) {
        loud = clocks.next(loud, 1e6, kPeriod);
        usual = clocks.next(usual, Clocks::kLoudest, kPeriod);
    }
    EXPECT_EQ(loud, usual);
    // And one strange window among healthy ones is not heard for longer than one of ten deviations.
    EXPECT_EQ(clocks.next(clocks.usual(), 1e6, kPeriod), clocks.next(clocks.usual(), Clocks::kLoudest, kPeriod));
    // Nor do strange healthy windows move what is usual.
    HealthyTrace strange = healthy(20'000);
    strange.score[100] = 1e6;
    EXPECT_NEAR(Clocks(strange, kHalfLife).usual(), clocks.usual(), 0.001);
}

TEST(Clocks, BeginAnewAfterAnInterruption) {
    const Clocks clocks(healthy(1000), kHalfLife);
    const std::vector<double> values = scores(100, 5, 2);
    std::vector<int32_t> segment(100, 0);
    std::fill(segment.begin() + 60, segment.end(), 1);
    const std::vector<double> all = clocks.slow(values, segment, kPeriod);
    const std::vector<double> rest = clocks.slow(std::span(values).subspan(60), std::vector<int32_t>(40, 0), kPeriod);
    for (size_t i = 0; i < rest.size(); ++i) EXPECT_EQ(all[60 + i], rest[i]);
    EXPECT_NE(all[60], clocks.slow(values, std::vector<int32_t>(100, 0), kPeriod)[60]);
    // One at a time it is the same.
    double mean = clocks.usual();
    for (size_t i = 0; i < 60; ++i) {
        mean = clocks.next(mean, values[i], kPeriod);
        EXPECT_EQ(all[i], clocks.slow(mean));
    }
}

TEST(Clocks, OfAScoreThatHardlyMovesAreFinite) {
    HealthyTrace flat = healthy(100);
    std::ranges::fill(flat.score, 0.5);
    const Clocks clocks(flat, kHalfLife);
    for (const double v : clocks.slow(std::vector<double>{0.5, 3}, std::vector<int32_t>{0, 0}, kPeriod))
        EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace cmr::score
