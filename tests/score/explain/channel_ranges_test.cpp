#include "score/explain/channel_ranges.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace cmr::score {
namespace {

constexpr int64_t kLength = 50;

// Two channels of normal noise, the second around 3 with a tenth of the deviation.
Matrix noise(int64_t windows, uint64_t seed) {
    Rng rng(seed);
    Matrix out(windows, 2 * kLength);
    for (int64_t i = 0; i < windows; ++i)
        for (int64_t t = 0; t < 2 * kLength; ++t)
            out.row(i)[t] = static_cast<float>(t < kLength ? rng.normal() : 3 + 0.1 * rng.normal());
    return out;
}

TEST(ChannelRanges, WhatNearlyAllHealthyWindowsStayWithinIsThreeDeviations) {
    const ChannelRanges ranges(noise(1000, 1), 2);
    const Matrix later = ranges(noise(1000, 2));
    for (int64_t c = 0; c < 2; ++c) {
        int64_t within = 0;
        for (int64_t i = 0; i < later.rows; ++i) within += later.row(i)[c] <= 3;
        EXPECT_GT(within, 960) << "99 % of the means and 99 % of the spreads";
        EXPECT_LT(within, 1000);
    }
}

TEST(ChannelRanges, AnotherLevelOrAnotherSpreadIsOddAndOfThatChannelAlone) {
    const ChannelRanges ranges(noise(1000, 1), 2);
    Matrix moved = noise(1, 2), louder = moved;
    for (int64_t t = kLength; t < 2 * kLength; ++t) {
        moved.row(0)[t] += 0.2f;
        louder.row(0)[t] = 3 + 4 * (louder.row(0)[t] - 3);
    }
    const float usual = ranges(noise(1, 2)).row(0)[0];
    for (const Matrix& odd : {moved, louder}) {
        const Matrix found = ranges(odd);
        EXPECT_GT(found.row(0)[1], 6);
        EXPECT_EQ(found.row(0)[0], usual);
    }
}

TEST(ChannelRanges, StandstillIsWhatAChannelThatDoesNotMoveHas) {
    const ChannelRanges ranges(noise(1000, 1), 2);
    Matrix still = noise(1, 2);
    for (int64_t t = 0; t < kLength; ++t) still.row(0)[t] = 0;
    EXPECT_NEAR(ranges(still).row(0)[0], ranges.standstill(0), 1e-3 * ranges.standstill(0));
    EXPECT_GT(ranges.standstill(0), 100);
}

}  // namespace
}  // namespace cmr::score
