#include "score/combine/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "support/random_matrix.h"

namespace cmr::score {
namespace {

constexpr int64_t kRows = 60, kChannels = 3, kLength = 8;

Matrix windows() { return test::random_matrix(kRows, kChannels * kLength, 1); }

std::span<const float> channel(const Matrix& matrix, int64_t row, int64_t index) {
    return matrix.row(row).subspan(index * kLength, kLength);
}

SpoiledWindows rehearsed(const Rehearsal& kind, const MatrixView& block, uint64_t seed) {
    Rng rng(seed);
    std::vector<int64_t> rows(block.rows);
    std::iota(rows.begin(), rows.end(), 0);
    return rehearse(kind, block, kChannels, rows, rng);
}

const Rehearsal& named(std::string_view name) { return *std::ranges::find(rehearsals(), name, &Rehearsal::name); }

TEST(Rehearsal, SpoilsExactlyOneChannelOfEveryWindow) {
    const Matrix effects = windows();
    for (const Rehearsal& kind : rehearsals()) {
        const SpoiledWindows found = rehearsed(kind, effects, 1);
        ASSERT_EQ(std::ssize(found.channel), kRows);
        for (int64_t row = 0; row < kRows; ++row)
            for (int64_t c = 0; c < kChannels; ++c)
                EXPECT_EQ(std::ranges::equal(channel(found.effects, row, c), channel(effects, row, c)),
                          c != found.channel[row])
                    << kind.name << ", row " << row;
        EXPECT_THAT(std::set(found.channel.begin(), found.channel.end()), testing::ElementsAre(0, 1, 2));
    }
}

TEST(Rehearsal, SpoilsTheRowsThatItIsToldTo) {
    const Matrix effects = windows();
    Rng rng(1);
    const SpoiledWindows found = rehearse(named("offset"), effects, kChannels, {7, 3}, rng);
    ASSERT_EQ(found.effects.rows, 2);
    ASSERT_EQ(found.channel.size(), 2u);
    for (int64_t i = 0; i < 2; ++i)
        for (int64_t c = 0; c < kChannels; ++c)
            EXPECT_EQ(std::ranges::equal(channel(found.effects, i, c), channel(effects, i == 0 ? 7 : 3, c)),
                      c != found.channel[i]);
    EXPECT_EQ(rehearse(named("offset"), effects, kChannels, {}, rng).effects.rows, 0);
}

TEST(Rehearsal, ExchangesWithAnotherWindowOfTheBlock) {
    const Matrix effects = windows();
    for (const int64_t rows : {kRows, int64_t{2}}) {  // of two there is one choice only
        const SpoiledWindows found = rehearsed(named("exchange"), MatrixView(effects).rows_from(0, rows), 2);
        for (int64_t row = 0; row < rows; ++row) {
            int64_t from = -1;
            for (int64_t other = 0; other < rows; ++other)
                if (std::ranges::equal(channel(found.effects, row, found.channel[row]),
                                       channel(effects, other, found.channel[row])))
                    from = other;
            EXPECT_GE(from, 0);
            EXPECT_NE(from, row);
        }
    }
}

TEST(Rehearsal, ShiftsByHalfToOneAndAHalfDeviations) {
    const Matrix effects = windows();
    const SpoiledWindows found = rehearsed(named("offset"), effects, 3);
    int64_t up = 0;
    for (int64_t row = 0; row < kRows; ++row) {
        const auto now = channel(found.effects, row, found.channel[row]);
        const auto before = channel(effects, row, found.channel[row]);
        for (int64_t t = 0; t < kLength; ++t) EXPECT_NEAR(now[t] - before[t], now[0] - before[0], 1e-5f);
        EXPECT_GE(std::abs(now[0] - before[0]), 0.499f);
        EXPECT_LE(std::abs(now[0] - before[0]), 1.501f);
        up += now[0] > before[0];
    }
    EXPECT_GT(up, kRows / 4);
    EXPECT_LT(up, 3 * kRows / 4);
}

TEST(Rehearsal, AnswersStrongerOrWeaker) {
    const Matrix effects = windows();
    const SpoiledWindows found = rehearsed(named("gain"), effects, 5);
    int64_t stronger = 0, slightly = 0;
    for (int64_t row = 0; row < kRows; ++row) {
        const auto now = channel(found.effects, row, found.channel[row]);
        const auto before = channel(effects, row, found.channel[row]);
        const float factor = now[0] / before[0];
        for (int64_t t = 0; t < kLength; ++t) EXPECT_NEAR(now[t], factor * before[t], 1e-5f);
        EXPECT_GE(std::abs(factor - 1), 0.0099f);
        EXPECT_LE(std::abs(factor - 1), 0.501f);
        stronger += factor > 1;
        slightly += std::abs(factor - 1) < 0.07f;  // the middle of the logarithms
    }
    for (const int64_t count : {stronger, slightly}) {
        EXPECT_GT(count, kRows / 4);
        EXPECT_LT(count, 3 * kRows / 4);
    }
}

TEST(Rehearsal, HoldsTheFirstValue) {
    const Matrix effects = windows();
    const SpoiledWindows found = rehearsed(named("freeze"), effects, 4);
    for (int64_t row = 0; row < kRows; ++row)
        EXPECT_THAT(channel(found.effects, row, found.channel[row]),
                    testing::Each(channel(effects, row, found.channel[row])[0]));
}

TEST(Rehearsal, DependsOnTheSeedAlone) {
    for (const Rehearsal& kind : rehearsals()) {
        const auto found = [&](uint64_t seed) { return rehearsed(kind, windows(), seed); };
        EXPECT_EQ(found(1).effects.values, found(1).effects.values);
        EXPECT_EQ(found(1).channel, found(1).channel);
        EXPECT_NE(found(1).channel, found(2).channel);
    }
}

}  // namespace
}  // namespace cmr::score
