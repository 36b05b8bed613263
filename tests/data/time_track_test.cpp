#include "data/time_track.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_input_error.h"

namespace cmr::data {
namespace {

using test::expect_input_error;

class NoTable : public io::Table {
  public:
    NoTable() : Table("f.csv") {}
    void select(const std::vector<io::Selection>&) override {}
    bool read(io::TableBlock&) override { return false; }
    std::string place(int64_t line) const override { return "f.csv:" + std::to_string(line); }
};

recipe::Data data_of(const std::string& gaps, int64_t max_gap = 0, double max_step_s = 0) {
    recipe::Data data;
    data.rate_hz = 1;
    data.time.column = "t";
    data.time.max_step_s = max_step_s;
    data.gaps = gaps;
    data.max_gap = max_gap;
    return data;
}

struct Result {
    std::vector<Segment> segments;
    int64_t samples = 0;
    int64_t inserted = 0;
    int64_t repeated = 0;
};

Result track(const recipe::Data& data, const std::vector<double>& times) {
    TimeTrack time(data, data.time);
    const NoTable table;
    Result out;
    int64_t line = 2;
    for (const double time_s : times) {
        const auto missing = time.advance(time_s, table, line++);
        if (!missing) continue;
        out.inserted += *missing;
        out.samples += *missing + 1;
    }
    out.repeated = time.repeated();
    out.segments = std::move(time).finish(out.samples, "f.csv");
    return out;
}

TEST(TimeTrack, SteadyTimesAreOneSegment) {
    for (const char* gaps : {"error", "drop-window", "interpolate"}) {
        const Result result = track(data_of(gaps, 5), {100, 101, 102, 103, 104});
        ASSERT_EQ(result.segments.size(), 1u);
        EXPECT_EQ(result.segments[0].begin, 0);
        EXPECT_EQ(result.segments[0].end, 5);
        EXPECT_EQ(result.segments[0].start_s, 100);
        EXPECT_EQ(result.inserted, 0);
    }
}

TEST(TimeTrack, WithoutATimeColumnAllIsOneSegment) {
    recipe::Data data = data_of("error");
    data.time.column.clear();
    TimeTrack time(data, data.time);
    EXPECT_FALSE(time.used());
    EXPECT_FALSE(time.dated());
    const auto segments = std::move(time).finish(7, "f.csv");
    ASSERT_EQ(segments.size(), 1u);
    EXPECT_EQ(segments[0].end, 7);
}

TEST(TimeTrack, TimesThatStandStillOrGoBackAreRefusedUnderEveryPolicy) {
    for (const char* gaps : {"error", "drop-window", "interpolate"}) {
        const recipe::Data data = data_of(gaps, 5);
        expect_input_error([&] { track(data, {10, 11, 11, 12}); }, {"f.csv:4: ", "11 s stands twice"});
        expect_input_error([&] { track(data, {10, 11, 9}); }, {"f.csv:4: ", "back from 11 s to 9 s"});
        expect_input_error(
            [&] {
                track(data, {10, std::numeric_limits<double>::quiet_NaN()});
            },
            {"f.csv:3: ", "no time stamp in column 't'"});
        expect_input_error([&] { track(data, {10, std::numeric_limits<double>::infinity()}); }, {"f.csv:3: "});
        expect_input_error([&] { track(data, {-std::numeric_limits<double>::infinity(), 10}); }, {"f.csv:2: "});
    }
}

TEST(TimeTrack, ARepeatedTimeIsLeftOutWhereTheRecipeSaysSo) {
    recipe::Data data = data_of("error");
    data.time.repeated = "keep-first";
    const Result result = track(data, {10, 11, 11, 11, 12, 13, 13});
    EXPECT_EQ(result.samples, 4);
    EXPECT_EQ(result.repeated, 3);
    ASSERT_EQ(result.segments.size(), 1u);
    EXPECT_EQ(result.segments[0].end, 4);
    expect_input_error([&] { track(data, {10, 11, 9}); }, {"back from 11 s to 9 s", "restarts"});
}

TEST(TimeTrack, AClockThatRestartsBeginsASegmentWhereTheRecipeSaysSo) {
    recipe::Data data = data_of("error");
    data.time.restarts = "segment";
    const Result result = track(data, {0, 1, 2, 3, 0, 1, 2, 0.5, 1.5});
    EXPECT_EQ(result.samples, 9);
    ASSERT_EQ(result.segments.size(), 3u);
    EXPECT_EQ(result.segments[0].end, 4);
    EXPECT_EQ(result.segments[1].begin, 4);
    EXPECT_EQ(result.segments[1].end, 7);
    EXPECT_EQ(result.segments[1].start_s, 0);
    EXPECT_EQ(result.segments[2].start_s, 0.5);
    EXPECT_EQ(result.segments[2].end, 9);
    expect_input_error([&] { track(data, {0, 1, 1, 0}); }, {"f.csv:4: ", "1 s stands twice", "keep-first"});
    expect_input_error([&] { track(data, {0, 1, 5, 0}); }, {"f.csv:4: ", "4 s between"});
}

TEST(TimeTrack, AWrongUnitIsHintedAt) {
    expect_input_error([] { track(data_of("error"), {0, 1000, 2000}); }, {"f.csv:3: ", "time_unit = \"ms\""});
    expect_input_error([] { track(data_of("drop-window"), {0, 1e9, 2e9, 3e9}); }, {"time_unit = \"ns\""});
    const double second = 1.0 / 86400;
    expect_input_error([&] { track(data_of("error"), {0, second, 2 * second, 3 * second}); }, {"\"excel-days\""});
}

TEST(TimeTrack, RowsThatWillBeResampledMayComeAtAnyStep) {
    recipe::Data data = data_of("drop-window", 0, 3);
    data.time.resample = "linear";
    const Result result = track(data, {0, 0.2, 2.5, 2.6, 9, 9.5});
    ASSERT_EQ(result.segments.size(), 2u);
    EXPECT_EQ(result.segments[0].end, 4);
    EXPECT_EQ(result.segments[1].start_s, 9);
    EXPECT_EQ(result.inserted, 0);
}

TEST(TimeTrack, DatesInMessagesReadAsDates) {
    const double noon = 1450785600;  // 2015-12-22 12:00:00
    expect_input_error([&] { track(data_of("error"), {noon, noon}); }, {"2015-12-22 12:00:00 stands twice"});
}

TEST(TimeTrack, OnlyTimesAfter1971AreDates) {
    const NoTable table;
    const recipe::Data data = data_of("error");
    TimeTrack seconds(data, data.time), dates(data, data.time);
    seconds.advance(5, table, 1);
    dates.advance(1450785600, table, 1);
    EXPECT_FALSE(seconds.dated());
    EXPECT_TRUE(dates.dated());
}

TEST(TimeTrack, AJumpIsAnErrorWhereThePolicySaysSo) {
    expect_input_error(
        [] {
            track(data_of("error"), {0, 1, 5});
        },
        {"f.csv:4: ", "4 s between 1 s and 5 s, expected 1 s", "drop-window", "interpolate"});
}

TEST(TimeTrack, AJumpCutsUnderDropWindow) {
    const Result result = track(data_of("drop-window"), {0, 1, 2, 6, 7, 20});
    ASSERT_EQ(result.segments.size(), 3u);
    EXPECT_EQ(result.segments[0].end, 3);
    EXPECT_EQ(result.segments[1].begin, 3);
    EXPECT_EQ(result.segments[1].end, 5);
    EXPECT_EQ(result.segments[1].start_s, 6);
    EXPECT_EQ(result.segments[2].end, 6);
    EXPECT_EQ(result.inserted, 0);
}

TEST(TimeTrack, AJumpOfAtMostMaxGapIsFilledUnderInterpolate) {
    const Result filled = track(data_of("interpolate", 3), {0, 1, 2, 6, 7});  // 3, 4 and 5 are missing
    EXPECT_EQ(filled.segments.size(), 1u);
    EXPECT_EQ(filled.inserted, 3);
    EXPECT_EQ(filled.segments[0].end, 8);

    const Result cut = track(data_of("interpolate", 2), {0, 1, 2, 6, 7});
    ASSERT_EQ(cut.segments.size(), 2u);
    EXPECT_EQ(cut.inserted, 0);
    EXPECT_EQ(cut.segments[1].begin, 3);
    EXPECT_EQ(cut.segments[1].start_s, 6);
}

TEST(TimeTrack, AJumpOverAllBoundsIsACutAndNotAStep) {
    for (const double far : {1e12, 1e25, 1e300}) {
        const Result result = track(data_of("interpolate", 1000), {0, 1, 2, 3, far});
        EXPECT_EQ(result.segments.size(), 2u) << far;
        EXPECT_EQ(result.inserted, 0) << far;
    }
}

TEST(TimeTrack, JitterWithinMaxStepIsNoGap) {
    const std::vector<double> times = {0, 1, 2, 4, 5, 6.9, 8, 9, 10};
    expect_input_error([&] { track(data_of("error"), times); }, {"f.csv:5: "});
    EXPECT_EQ(track(data_of("error", 0, 2.5), times).segments.size(), 1u);
    EXPECT_EQ(track(data_of("drop-window", 0, 1.95), times).segments.size(), 2u);
    EXPECT_EQ(track(data_of("error"), {0, 1.4, 2, 3.4, 4, 5}).segments.size(), 1u) << "one and a half samples";
}

TEST(TimeTrack, AnotherRateThanTheRecipesIsRefused) {
    expect_input_error(
        [] {
            track(data_of("error"), {0, 0.5, 1, 1.5, 2});
        },
        {"f.csv: the rows are 0.5 s apart, but rate_hz = 1 means 1 s"});
    expect_input_error([] { track(data_of("drop-window"), {0, 2, 4, 6, 8}); }, {"f.csv: the rows are 2 s apart"});
    EXPECT_EQ(track(data_of("error"), {0, 1.05, 2.1, 3.15, 4.2}).segments.size(), 1u) << "5 % off is a clock";
}

TEST(TimeTrack, SegmentsCoverAllSamplesWithoutOverlap) {
    for (const auto& data : {data_of("drop-window"), data_of("interpolate", 4)}) {
        std::vector<double> times;
        double now = 0;
        for (int i = 0; i < 500; ++i) times.push_back(now += i % 50 == 49 ? 9 : i % 20 == 19 ? 3 : 1);
        const Result result = track(data, times);
        int64_t next = 0;
        for (const Segment& segment : result.segments) {
            EXPECT_EQ(segment.begin, next);
            EXPECT_LT(segment.begin, segment.end);
            next = segment.end;
        }
        EXPECT_EQ(next, result.samples);
    }
}

}  // namespace
}  // namespace cmr::data
