#include "study/promise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "score/small_plant.h"

namespace cmr::study {
namespace {

std::vector<double> noise(size_t count, uint64_t seed) {
    Rng rng(seed);
    std::vector<double> out;
    for (size_t i = 0; i < count; ++i) out.push_back(std::exp(rng.normal() / 2));
    return out;
}

// A plant that is watched for a while after it was fitted, and whose scores are whatever a test says.
struct Watched {
    test::SmallPlant plant;
    score::Detector detector = plant.fit_bare();
    data::Dataset dataset = plant.dataset;
    score::ScoreRun run;

    explicit Watched(int64_t samples, std::vector<double> healthy = noise(4000, 1)) {
        score::HealthyTrace& trace = detector.healthy.trace;
        trace.end_s.clear();
        for (size_t i = 0; i < healthy.size(); ++i) trace.end_s.push_back(trace.period_s * static_cast<double>(i));
        trace.segment.assign(healthy.size(), 0);
        trace.score = std::move(healthy);
        dataset.recordings.erase(dataset.recordings.begin() + 1, dataset.recordings.end());
        test::add_plant_recording(dataset, samples, 5, 1);
        run = score::run(detector, dataset);
        for (score::ScoredWindow& w : run.windows) w.split = w.window.recording == 1 ? "test" : "train";
    }

    template <typename Score>  // score(i) of the window i
    PromiseResult with(const Score& score) {
        const int64_t both = score::NamedScores{run.scores.names, run.scores.values}.column("both");
        for (int64_t i = 0; i < run.scores.values.rows; ++i)
            run.scores.values.row(i)[both] = static_cast<float>(score(static_cast<size_t>(i)));
        return promise_of(detector, dataset, run);
    }
};

TEST(Promise, IsKeptWhereHealthyTimeGoesOnAsItWas) {
    Watched watched(100'000);
    const std::vector<double> later = noise(watched.run.windows.size(), 2);
    const PromiseResult found = watched.with([&](size_t i) { return later[i]; });
    EXPECT_EQ(found.verdict, "kept");
    EXPECT_NEAR(found.days, 100'000.0 / 86'400, 0.01);
    EXPECT_LT(found.seen, 2 * found.high);
    EXPECT_GT(found.high, found.promised);
    EXPECT_LT(found.low, found.promised);
}

TEST(Promise, IsBrokenWhereScoresRise) {
    Watched watched(100'000);
    const std::vector<double> later = noise(watched.run.windows.size(), 2);
    EXPECT_EQ(watched.with([&](size_t i) { return 2 * later[i]; }).verdict, "broken");
}

// One alarm in all the time, and it never ends.
TEST(Promise, IsBrokenByAnAlarmThatNeverEnds) {
    Watched watched(100'000);
    const PromiseResult found = watched.with([](size_t) { return 100; });
    EXPECT_EQ(found.verdict, "broken");
    EXPECT_EQ(found.in_alarm, 1);
    EXPECT_LT(found.seen, found.promised);
}

// A tenth of the time is faulty, and raises an alarm that goes on: for as long again, and then to the end.
TEST(Promise, IsNotBrokenByWhatAFaultRaisesUnlessItNeverEnds) {
    Watched watched(100'000);
    const std::vector<double> later = noise(watched.run.windows.size(), 2);
    const size_t tenth = watched.run.windows.size() / 10;
    for (size_t i = tenth; i < 2 * tenth; ++i) watched.run.windows[i].window.state = data::State::kFaulty;
    const auto until = [&](size_t end) {
        return watched.with([&](size_t i) { return i >= tenth && i < end ? 100 : later[i]; });
    };
    const PromiseResult ends = until(3 * tenth);
    EXPECT_EQ(ends.verdict, "kept");
    EXPECT_GT(ends.in_alarm, 0.1) << "it is shown all the same";
    EXPECT_EQ(until(10 * tenth + 10).verdict, "broken");
}

// All of the time that is watched a sensor is coarser than when healthy.
TEST(Promise, IsVoidWhereSensorsAreNotWhatItRestsOn) {
    Watched watched(100'000);
    for (float& value : watched.dataset.recordings[1].channels[3].values()) value = 0.5f * std::round(2 * value);
    const PromiseResult found = watched.with([](size_t) { return 100; });
    EXPECT_EQ(found.verdict, "void");
    EXPECT_NE(found.why.find("outlet is rounded to 0.5"), std::string::npos) << found.why;
}

// An alarm that never ends, of which nothing was promised in the first half; and then of all.
TEST(Promise, IsNotSpentOutsideTheLearnedRange) {
    Watched watched(100'000);
    const std::vector<double> later = noise(watched.run.windows.size(), 2);
    const size_t windows = watched.run.windows.size();
    for (size_t i = 0; i < windows; ++i) watched.run.windows[i].outside_range = i < windows / 2;
    const auto strange = [&](size_t i) { return i < windows / 2 ? 100 : later[i]; };
    const PromiseResult half = watched.with(strange);
    EXPECT_EQ(half.verdict, "kept");
    EXPECT_NEAR(half.days, 50'000.0 / 86'400, 0.02);
    for (score::ScoredWindow& w : watched.run.windows) w.outside_range = false;
    EXPECT_EQ(watched.with(strange).verdict, "broken");
    for (score::ScoredWindow& w : watched.run.windows) w.outside_range = true;
    const PromiseResult none = watched.with(strange);
    EXPECT_EQ(none.verdict, "void");
    EXPECT_EQ(none.why, "its causes are outside the learned range");
}

TEST(Promise, IsNoneWhereHealthyTimeIsTooShortOrSaysTooLittle) {
    EXPECT_EQ(Watched(200).with([](size_t) { return 1; }).verdict, "too short");
    std::vector<double> slow;
    for (int i = 0; i < 1000; ++i) slow.push_back(2 + std::sin(i / 150.0));
    EXPECT_EQ(Watched(200, slow).with([](size_t) { return 1; }).verdict, "refused");
}

}  // namespace
}  // namespace cmr::study
