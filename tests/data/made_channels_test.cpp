#include "data/made_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/synthetic.h"

namespace cmr::data {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveFloatEq;
using testing::SizeIs;

const auto nan = NanSensitiveFloatEq(NAN);

std::vector<SourceChannel> channels_made(const std::string& how) {
    SourceChannel plain, made;
    plain.column = "a";
    plain.made = "none";
    made.column = "b";
    made.made = how;
    made.second_column = "c";
    return {plain, made};
}

// Two segments of four and one samples.
Recording columns(const std::vector<std::vector<float>>& values) {
    Recording out;
    for (const auto& column : values) out.channels.push_back(test::samples_of(column));
    out.segments = {{0, 4, 0}, {4, 5, 100}};
    return out;
}

TEST(MadeChannels, ADifferenceIsOfTwoColumns) {
    const auto channels = channels_made("difference");
    const auto asked = columns_of(channels);
    ASSERT_THAT(asked, SizeIs(3));
    EXPECT_EQ(asked[1].column, "b");
    EXPECT_EQ(asked[2].column, "c");
    Recording recording = columns({{1, 2, 3, 4, 5}, {10, 20, 30, 40, NAN}, {1, 2, 3, 5, 6}});
    make_channels(recording, channels, 2);
    ASSERT_THAT(recording.channels, SizeIs(2));
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(9, 18, 27, 35, nan));
    EXPECT_EQ(recording.absent, 1);
}

TEST(MadeChannels, ADerivativeIsPerSecondAndDoesNotCrossSegments) {
    Recording recording = columns({{1, 2, 3, 4, 5}, {1, 2, 4, 3, 100}});
    make_channels(recording, channels_made("derivative"), 2);
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(2, 2, 4, -2, 0));
    Recording hole = columns({{1, 2, 3, 4, 5}, {1, 2, NAN, 3, 100}});
    make_channels(hole, channels_made("derivative"), 2);
    EXPECT_THAT(hole.channels[1].values(), ElementsAre(2, 2, nan, nan, 0));
    EXPECT_EQ(hole.absent, 2);
}

TEST(MadeChannels, AnIntegralIsOverSecondsFromTheBeginningOfEachSegment) {
    Recording recording = columns({{1, 2, 3, 4, 5}, {2, 4, 4, 0, 100}});
    make_channels(recording, channels_made("integral"), 2);
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(0, 1.5f, 3.5f, 4.5f, 0));
    Recording hole = columns({{1, 2, 3, 4, 5}, {NAN, 4, 4, 0, 100}});
    make_channels(hole, channels_made("integral"), 2);
    EXPECT_THAT(hole.channels[1].values(), ElementsAre(nan, nan, nan, nan, 0));
}

TEST(MadeChannels, NothingChangesWhereNothingIsMade) {
    Recording recording = columns({{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}});
    make_channels(recording, channels_made("none"), 2);
    EXPECT_THAT(recording.channels[1].values(), ElementsAre(6, 7, 8, 9, 10));
}

}  // namespace
}  // namespace cmr::data
