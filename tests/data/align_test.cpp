#include "data/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace cmr::data {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveFloatEq;

const std::vector<std::string> kModes = {"auto", "mean", "pick", "hold", "linear"};
const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

TEST(Align, TheSameCountChangesNothing) {
    const std::vector<float> samples = {1, NAN, 3};
    for (const std::string& how : kModes)
        EXPECT_THAT(align(samples, 3, how), ElementsAre(1, NanSensitiveFloatEq(NAN), 3)) << how;
}

TEST(Align, DownwardsByAWholeRatio) {
    EXPECT_THAT(align(kSix, 3, "auto"), ElementsAre(1.5f, 3.5f, 5.5f));
    EXPECT_THAT(align(kSix, 3, "mean"), ElementsAre(1.5f, 3.5f, 5.5f));
    EXPECT_THAT(align(kSix, 2, "mean"), ElementsAre(2, 5));
    EXPECT_THAT(align(kSix, 1, "mean"), ElementsAre(3.5f));
    EXPECT_THAT(align(kSix, 3, "pick"), ElementsAre(1, 3, 5));
    EXPECT_THAT(align(kSix, 3, "hold"), ElementsAre(1, 3, 5));
    EXPECT_THAT(align(kSix, 3, "linear"), ElementsAre(1, 3, 5));
}

TEST(Align, UpwardsByAWholeRatio) {
    const std::vector<float> two = {10, 20};
    EXPECT_THAT(align(two, 4, "auto"), ElementsAre(10, 10, 20, 20));
    EXPECT_THAT(align(two, 4, "mean"), ElementsAre(10, 10, 20, 20));
    EXPECT_THAT(align(two, 4, "pick"), ElementsAre(10, 10, 20, 20));
    EXPECT_THAT(align(two, 4, "hold"), ElementsAre(10, 10, 20, 20));
    EXPECT_THAT(align(two, 4, "linear"), ElementsAre(10, 15, 20, 20)) << "after the last sample there is only that";
    EXPECT_THAT(align(std::vector<float>{7}, 3, "linear"), ElementsAre(7, 7, 7));
}

TEST(Align, MeansTakeTheSamplesWhoseTimeFallsIntoTheNewOne) {
    // 3 to 2: the new samples begin at old times 0 and 1.5, so old sample 1 belongs to the first.
    EXPECT_THAT(align(std::vector<float>{1, 3, 8}, 2, "mean"), ElementsAre(2, 8));
    // 5 to 2: at 0 and 2.5.
    EXPECT_THAT(align(std::vector<float>{1, 2, 3, 10, 20}, 2, "mean"), ElementsAre(2, 15));
}

TEST(Align, EveryOldSampleEntersExactlyOneMean) {
    for (int64_t given = 2; given <= 40; ++given)
        for (int64_t count = 1; count < given; ++count)
            for (int64_t j = 0; j < given; ++j) {
                std::vector<float> one(given, 0.0f);
                one[j] = 1;
                const auto out = align(one, count, "mean");
                int64_t touched = 0, where = -1;
                for (int64_t i = 0; i < count; ++i)
                    if (out[i] > 0) ++touched, where = i;
                ASSERT_EQ(touched, 1) << given << " to " << count << ", sample " << j;
                ASSERT_EQ(where, j * count / given) << given << " to " << count << ", sample " << j;
            }
}

TEST(Align, AConstantStaysAConstantAndValuesStayInTheirRange) {
    for (const std::string& how : kModes)
        for (int64_t given : {1, 2, 3, 7, 60})
            for (int64_t count : {1, 2, 3, 5, 8, 61, 100}) {
                const std::vector<float> constant(given, 0.1f);
                for (const float value : align(constant, count, how)) ASSERT_FLOAT_EQ(value, 0.1f) << how;
                std::vector<float> ramp(given);
                std::iota(ramp.begin(), ramp.end(), 0.0f);
                const auto out = align(ramp, count, how);
                ASSERT_EQ(static_cast<int64_t>(out.size()), count);
                for (int64_t i = 0; i < count; ++i) {
                    ASSERT_GE(out[i], 0.0f);
                    ASSERT_LE(out[i], static_cast<float>(given - 1));
                    if (i > 0) {
                        ASSERT_GE(out[i], out[i - 1]) << how << ": a rising signal rises";
                    }
                }
            }
}

TEST(Align, LinearFollowsALineAtAnyRatio) {
    std::vector<float> ramp(9);
    std::iota(ramp.begin(), ramp.end(), 0.0f);
    for (int64_t count : {4, 6, 13, 20}) {
        const auto out = align(ramp, count, "linear");
        for (int64_t i = 0; i < count; ++i)
            EXPECT_NEAR(out[i], std::min(8.0, static_cast<double>(i) * 9.0 / static_cast<double>(count)), 1e-5);
    }
}

TEST(Align, AnAbsentSampleMakesAbsentWhatIsMadeFromItAndNothingElse) {
    const std::vector<float> samples = {1, 2, NAN, 4};
    const auto nan = NanSensitiveFloatEq(NAN);
    EXPECT_THAT(align(samples, 2, "mean"), ElementsAre(1.5f, nan));
    EXPECT_THAT(align(samples, 2, "pick"), ElementsAre(1, nan));
    EXPECT_THAT(align(samples, 8, "hold"), ElementsAre(1, 1, 2, 2, nan, nan, 4, 4));
    EXPECT_THAT(align(samples, 8, "linear"), ElementsAre(1, 1.5f, 2, nan, nan, nan, 4, 4));
}

TEST(Align, RatiosOfRatesAreInSmallWholeNumbers) {
    const auto of = [](double given_hz, double wanted_hz) {
        const Ratio ratio = ratio_of(given_hz, wanted_hz);
        return std::pair(ratio.given, ratio.wanted);
    };
    EXPECT_EQ(of(10, 4), std::pair(5L, 2L));
    EXPECT_EQ(of(1, 3), std::pair(1L, 3L));
    EXPECT_EQ(of(1000.0 / 3, 1000), std::pair(1L, 3L));
    EXPECT_EQ(of(48'000, 44'100), std::pair(160L, 147L));
}

}  // namespace
}  // namespace cmr::data
