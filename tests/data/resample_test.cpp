#include "data/resample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/synthetic.h"

namespace cmr::data {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveFloatEq;

const auto nan = NanSensitiveFloatEq(NAN);

recipe::Time by(const std::string& how, double max_step_s) {
    recipe::Time time;
    time.resample = how;
    time.max_step_s = max_step_s;
    return time;
}

TEST(Resample, LinearDrawsLinesOverStepsThatAreShortEnough) {
    const std::vector<double> times = {10, 11.5, 12.5, 17};
    const std::vector<float> values = {0, 3, 5, 14};
    EXPECT_THAT(resample(times, values, 10, 8, 1, by("linear", 2)), ElementsAre(0, 2, 4, nan, nan, nan, nan, 14));
    EXPECT_THAT(resample(times, values, 10, 8, 1, by("linear", 4.5)), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
    EXPECT_THAT(resample(times, values, 10, 3, 0.5, by("linear", 2)), ElementsAre(0, 4, nan));
    EXPECT_THAT(resample(times, values, 8, 3, 1, by("linear", 9)), ElementsAre(nan, nan, 0)) << "nothing stands before";
    EXPECT_THAT(resample(times, values, 16, 3, 1, by("linear", 9)), ElementsAre(12, 14, nan)) << "nor behind";
}

TEST(Resample, HoldKeepsTheLastValueForAsLongAsItIsYoung) {
    const std::vector<double> times = {0, 1.5, 6};
    const std::vector<float> values = {1, 2, 3};
    EXPECT_THAT(resample(times, values, 0, 8, 1, by("hold", 2.5)), ElementsAre(1, 1, 2, 2, 2, nan, 3, 3));
}

TEST(Resample, MeanIsOfTheValuesUpToTheNextSample) {
    const std::vector<double> times = {0, 0.25, 0.75, 1, 3.5};
    const std::vector<float> values = {1, 2, 6, 8, 5};
    EXPECT_THAT(resample(times, values, 0, 5, 1, by("mean", 9)), ElementsAre(3, 8, nan, 5, nan));
}

TEST(Resample, AbsentValuesArePassedOver) {
    const std::vector<double> times = {0, 1, 2, 3};
    const std::vector<float> values = {1, NAN, NAN, 4};
    EXPECT_THAT(resample(times, values, 0, 4, 1, by("linear", 3)), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(resample(times, values, 0, 4, 1, by("linear", 2)), ElementsAre(1, nan, nan, 4));
    EXPECT_THAT(resample(times, values, 0, 4, 1, by("hold", 1)), ElementsAre(1, 1, nan, 4));
    EXPECT_THAT(resample(times, values, 0, 4, 1, by("mean", 1)), ElementsAre(1, nan, nan, 4));
}

TEST(Resample, TheRoundingOfAClockSince1970MovesNothing) {
    std::vector<double> times;
    std::vector<float> values;
    for (int i = 0; i < 5000; ++i) {
        times.push_back(1.7e9 + i / 5000.0);
        values.push_back(static_cast<float>(i));
    }
    for (const char* how : {"linear", "hold", "mean"})
        EXPECT_EQ(resample(times, values, times[0], 5000, 5000, by(how, 0.001)), values) << how;
}

TEST(Resample, ARecordingKeepsItsRunsAndStates) {
    Dataset dataset = test::make_dataset({false});
    Recording& recording = test::add_recording(dataset, 6, 1);
    recording.channels[0] = test::samples_of({0, 3, 4, 100, 101, 103});
    recording.segments = {{0, 3, 50}, {3, 6, 0}};
    test::mark(recording, 1, 2, State::kFaulty, 0);
    test::mark(recording, 4, 5, State::kExcluded);
    resample(recording, std::vector<double>{50, 53, 54, 0, 1, 3.5}, by("linear", 9), 1);
    EXPECT_THAT(recording.channels[0].values(), ElementsAre(0, 1, 2, 3, 4, 100, 101, 101.8f, 102.6f));
    ASSERT_EQ(recording.segments.size(), 2u);
    EXPECT_EQ(recording.segments[0].end, 5);
    EXPECT_EQ(recording.segments[1].begin, 5);
    EXPECT_EQ(recording.segments[1].end, 9);
    EXPECT_EQ(recording.segments[1].start_s, 0);
    ASSERT_EQ(recording.spans.size(), 4u);
    EXPECT_EQ(recording.spans[1].begin, 3);
    EXPECT_EQ(recording.spans[1].end, 4);
    EXPECT_EQ(recording.spans[1].state, State::kFaulty);
    EXPECT_EQ(recording.spans[3].begin, 6);
    EXPECT_EQ(recording.spans[3].end, 9) << "the state of the last row that is not behind the sample";
    EXPECT_EQ(recording.spans[3].state, State::kExcluded);
}

}  // namespace
}  // namespace cmr::data
