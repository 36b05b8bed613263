#include "data/gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cmr::data {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveFloatEq;

const auto nan = NanSensitiveFloatEq(NAN);

Recording recording_of(const std::vector<std::vector<float>>& channels, std::vector<Segment> segments = {}) {
    Recording recording;
    for (const auto& values : channels) {
        recording.channels.emplace_back();
        recording.channels.back().append(values);
    }
    recording.segments = std::move(segments);
    if (recording.segments.empty()) recording.segments = {{.begin = 0, .end = recording.length(), .start_s = 0}};
    return recording;
}

TEST(Gaps, AGapOfExactlyTheLimitIsFilledAndALongerOneIsNot) {
    const std::vector<float> two = {0, NAN, NAN, 3};
    Recording filled = recording_of({two});
    fill_gaps(filled, 2);
    EXPECT_THAT(filled.channels[0].values(), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(filled.filled, 2);
    EXPECT_EQ(filled.absent, 0);

    Recording left = recording_of({two});
    fill_gaps(left, 1);
    EXPECT_THAT(left.channels[0].values(), ElementsAre(0, nan, nan, 3));
    EXPECT_EQ(left.filled, 0);
    EXPECT_EQ(left.absent, 2);
}

TEST(Gaps, ZeroFillsNoneButCountsAll) {
    Recording recording = recording_of({{1, NAN, 3, NAN}, {NAN, 1, 2, 3}});
    fill_gaps(recording, 0);
    EXPECT_EQ(recording.filled, 0);
    EXPECT_EQ(recording.absent, 3);
}

TEST(Gaps, AGapAtTheBorderOfASegmentHasNoNeighbourAndStays) {
    Recording recording = recording_of({{NAN, 1, NAN, NAN, 4, NAN, 6, NAN}}, {{0, 3, 0}, {3, 8, 100}});
    fill_gaps(recording, 5);
    // Samples 2 and 3 are neighbours in the array, but not in time.
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(nan, 1, nan, nan, 4, 5, 6, nan));
    EXPECT_EQ(recording.filled, 1);
    EXPECT_EQ(recording.absent, 4);
}

TEST(Gaps, ASegmentWithoutAnyValueStaysAbsent) {
    Recording recording = recording_of({{1, NAN, NAN, NAN, 5}}, {{0, 1, 0}, {1, 4, 10}, {4, 5, 20}});
    fill_gaps(recording, 100);
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(1, nan, nan, nan, 5));
    EXPECT_EQ(recording.absent, 3);
}

TEST(Gaps, GapsWithOneValueBetweenThemAreTwoGaps) {
    Recording recording = recording_of({{0, NAN, 2, NAN, 4, NAN, NAN, 7}});
    fill_gaps(recording, 1);
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(0, 1, 2, 3, 4, nan, nan, 7));
    EXPECT_EQ(recording.filled, 2);
    EXPECT_EQ(recording.absent, 2);
}

TEST(Gaps, EveryChannelIsFilledByItself) {
    Recording recording = recording_of({{0, NAN, 2}, {5, 6, 7}, {NAN, 1, 2}});
    fill_gaps(recording, 1);
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(0, 1, 2));
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(5, 6, 7));
    EXPECT_THAT(recording.channels[2].values(), ElementsAre(nan, 1, 2));
    EXPECT_EQ(recording.filled, 1);
    EXPECT_EQ(recording.absent, 1);
}

TEST(Gaps, HugeNeighboursOfOppositeSignGiveFiniteValues) {
    Recording recording = recording_of({{-3e38f, NAN, 3e38f}});
    fill_gaps(recording, 1);
    EXPECT_FLOAT_EQ(recording.channels[0][1], 0.0f);
}

}  // namespace
}  // namespace cmr::data
