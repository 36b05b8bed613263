#include "data/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/synthetic.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::make_absent;
using test::make_dataset;
using test::mark;
using testing::ElementsAre;

struct Cut {
    std::vector<Window> windows;
    Dropped dropped;

    std::vector<int64_t> begins() const {
        std::vector<int64_t> out;
        for (const Window& w : windows) out.push_back(w.begin);
        return out;
    }
};

Cut cut(const Dataset& dataset, int64_t length, int64_t stride, double faulty_fraction = 0.0) {
    recipe::Window shape;
    shape.length = length;
    shape.faulty_fraction = faulty_fraction;
    Cut out;
    cut_windows(dataset, 0, shape, stride, out.windows, &out.dropped);
    return out;
}

Dataset of_length(int64_t length) {
    Dataset out = make_dataset();
    add_recording(out, length, 1);
    return out;
}

TEST(Windows, AreAsManyAsFit) {
    EXPECT_THAT(cut(of_length(10), 10, 5).begins(), ElementsAre(0));
    EXPECT_THAT(cut(of_length(9), 10, 5).begins(), ElementsAre());
    EXPECT_THAT(cut(of_length(14), 10, 5).begins(), ElementsAre(0));
    EXPECT_THAT(cut(of_length(15), 10, 5).begins(), ElementsAre(0, 5));
    EXPECT_THAT(cut(of_length(30), 10, 10).begins(), ElementsAre(0, 10, 20));
    EXPECT_THAT(cut(of_length(30), 10, 15).begins(), ElementsAre(0, 15));
    EXPECT_THAT(cut(of_length(12), 10, 1).begins(), ElementsAre(0, 1, 2));
    EXPECT_THAT(cut(of_length(0), 10, 1).begins(), ElementsAre());
}

TEST(Windows, BearingRecordingGivesFourteen) { EXPECT_EQ(cut(of_length(256'001), 32'768, 16'384).windows.size(), 14u); }

TEST(Windows, BeginAnewInEachSegmentAndNeverCrossOne) {
    Dataset dataset = of_length(40);
    dataset.recordings[0].segments = {{0, 11, 0.0}, {11, 20, 100.0}, {20, 40, 200.0}};
    EXPECT_THAT(cut(dataset, 10, 4).begins(), ElementsAre(0, 20, 24, 28));
}

TEST(Windows, WithExcludedSamplesAreDropped) {
    Dataset dataset = of_length(50);
    mark(dataset.recordings[0], 20, 21, State::kExcluded);
    const Cut result = cut(dataset, 10, 5);
    EXPECT_THAT(result.begins(), ElementsAre(0, 5, 10, 25, 30, 35, 40));  // 15 and 20 hold sample 20
    EXPECT_EQ(result.dropped.excluded, 2);
    EXPECT_EQ(result.dropped.absent, 0);
}

TEST(Windows, WithAbsentSamplesOfAnyChannelAreDropped) {
    Dataset dataset = of_length(50);
    make_absent(dataset.recordings[0], 0, 0);
    make_absent(dataset.recordings[0], 1, 34);
    const Cut result = cut(dataset, 10, 5);
    EXPECT_THAT(result.begins(), ElementsAre(5, 10, 15, 20, 35, 40));  // 0; 25 and 30
    EXPECT_EQ(result.dropped.absent, 3);
    EXPECT_EQ(result.dropped.excluded, 0);
}

TEST(Windows, AreFaultyIfAnySampleIs) {
    Dataset dataset = of_length(40);
    mark(dataset.recordings[0], 19, 20, State::kFaulty, /*stratum=*/1, /*event=*/7);
    const Cut result = cut(dataset, 10, 10);
    ASSERT_EQ(result.windows.size(), 4u);
    for (const Window& w : result.windows) {
        EXPECT_EQ(w.state, w.begin == 10 ? State::kFaulty : State::kHealthy) << w.begin;
        EXPECT_EQ(w.stratum, w.begin == 10 ? 1 : -1);
        EXPECT_EQ(w.event, w.begin == 10 ? 7 : -1);
    }
}

TEST(Windows, BelongToTheirFirstFaultySample) {
    Dataset dataset = of_length(20);
    mark(dataset.recordings[0], 3, 5, State::kFaulty, 1, 4);
    mark(dataset.recordings[0], 5, 12, State::kFaulty, 0, 5);
    const Cut result = cut(dataset, 10, 5);
    ASSERT_THAT(result.begins(), ElementsAre(0, 5, 10));
    EXPECT_EQ(result.windows[0].stratum, 1);
    EXPECT_EQ(result.windows[0].event, 4);
    EXPECT_EQ(result.windows[1].stratum, 0);
    EXPECT_EQ(result.windows[1].event, 5);
}

TEST(Windows, BelowTheFaultyFractionAreNeitherHealthyNorFaulty) {
    Dataset dataset = of_length(40);
    mark(dataset.recordings[0], 8, 10, State::kFaulty);   // 2 of 10
    mark(dataset.recordings[0], 17, 20, State::kFaulty);  // 3 of 10
    const Cut result = cut(dataset, 10, 10, /*faulty_fraction=*/0.2);
    ASSERT_THAT(result.begins(), ElementsAre(10, 20, 30));
    EXPECT_EQ(result.windows[0].state, State::kFaulty);
    EXPECT_EQ(result.windows[1].state, State::kHealthy);
}

TEST(Windows, AgreeWithALookAtEverySampleOfRandomRecordings) {
    Rng rng(5);
    for (int round = 0; round < 200; ++round) {
        const auto length = static_cast<int64_t>(20 + rng.below(150));
        Dataset dataset = of_length(length);
        Recording& recording = dataset.recordings[0];
        const auto border = static_cast<int64_t>(rng.below(length));
        if (border > 0) recording.segments = {{0, border, 0.0}, {border, length, 1000.0}};
        std::vector<State> states(length, State::kHealthy);
        for (int64_t i = 0; i < length; ++i) {
            if (rng.below(40) == 0) states[i] = State::kFaulty;
            if (rng.below(60) == 0) states[i] = State::kExcluded;
            mark(recording, i, i + 1, states[i]);
            if (rng.below(60) == 0) make_absent(recording, rng.below(2), i);
        }
        const auto size = static_cast<int64_t>(1 + rng.below(12)), stride = static_cast<int64_t>(1 + rng.below(15));
        const Cut result = cut(dataset, size, stride);
        size_t next = 0;
        for (const Segment& segment : recording.segments)
            for (int64_t begin = segment.begin; begin + size <= segment.end; begin += stride) {
                bool usable = true, faulty = false;
                for (int64_t i = begin; i < begin + size; ++i) {
                    usable = usable && states[i] != State::kExcluded && !std::isnan(recording.channels[0][i]) &&
                             !std::isnan(recording.channels[1][i]);
                    faulty = faulty || states[i] == State::kFaulty;
                }
                if (!usable) continue;
                ASSERT_LT(next, result.windows.size());
                EXPECT_EQ(result.windows[next].begin, begin);
                EXPECT_EQ(result.windows[next++].state, faulty ? State::kFaulty : State::kHealthy);
            }
        EXPECT_EQ(next, result.windows.size());
    }
}

TEST(Covered, HoldsEachSampleOfRandomWindowsOnce) {
    Rng rng(6);
    for (int round = 0; round < 200; ++round) {
        const auto length = static_cast<int64_t>(1 + rng.below(9));
        std::vector<Window> windows(rng.below(25));
        for (Window& w : windows) {
            w.recording = static_cast<int32_t>(rng.below(3));
            w.begin = static_cast<int64_t>(rng.below(120));
        }
        std::set<std::pair<int32_t, int64_t>> once;
        for (const SampleRange& s : covered(windows, length))
            for (int64_t i = s.begin; i < s.end; ++i)
                EXPECT_TRUE(once.emplace(s.recording, i).second) << "twice: " << i;
        EXPECT_EQ(once, test::sample_set(windows, length));
        EXPECT_TRUE(std::ranges::is_sorted(covered(windows, length)));
    }
}

TEST(Windows, LieInsideARangeOrNot) {
    const std::vector<SampleRange> ranges = {{0, 10, 20}, {0, 30, 40}, {2, 0, 10}};
    const auto inside = [&](int32_t recording, int64_t begin) {
        return is_inside(ranges, {.recording = recording, .begin = begin}, 5);
    };
    EXPECT_TRUE(inside(0, 10) && inside(0, 15) && inside(0, 30) && inside(2, 0) && inside(2, 5));
    for (const int64_t begin : {0, 9, 16, 25, 29, 36, 40}) EXPECT_FALSE(inside(0, begin)) << begin;
    EXPECT_FALSE(inside(1, 10) || inside(2, 6) || inside(3, 0));
    EXPECT_FALSE(is_inside({}, {}, 1));
}

}  // namespace
}  // namespace cmr::data
