#include "eval/delay.h"

#include <gmock/gmock.h>

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::kNan;
using test::Labels;
using test::Values;
using testing::ElementsAre;
using testing::IsEmpty;
using Intervals = std::vector<Interval>;

Values every(double period, int64_t count) {
    Values times;
    for (int64_t i = 0; i < count; ++i) times.push_back(static_cast<double>(i) * period);
    return times;
}

TEST(Alarms, AreRowsOfFlaggedSamples) {
    const Values times = every(10, 8);
    const Labels flags{0, 1, 1, 0, 0, 1, 0, 1};
    EXPECT_THAT(alarms_from_flags({times, 10}, flags),
                ElementsAre(Interval{10, 30}, Interval{50, 60}, Interval{70, 80}));
    EXPECT_THAT(alarms_from_flags({times, 10}, flags, {.on_count = 1, .merge_gap = 10}),
                ElementsAre(Interval{10, 30}, Interval{50, 80}));
    EXPECT_THAT(alarms_from_flags({times, 10}, flags, {.on_count = 2, .merge_gap = 0}), ElementsAre(Interval{20, 30}));
    EXPECT_THAT(alarms_from_flags({times, 10}, Labels(8, 0)), IsEmpty());
}

TEST(Alarms, DoNotReachOverAGapInTheRecording) {
    const Values times{0, 10, 500, 510};
    EXPECT_THAT(alarms_from_flags({times, 10}, Labels{0, 1, 0, 1}), ElementsAre(Interval{10, 20}, Interval{510, 520}));
}

// 0.1 + 0.2 is above 0.3 in floating point; the alarm of the sample at 0.2 must not reach the event.
TEST(Alarms, DoNotReachAnEventByRounding) {
    const Values times{0, 0.1, 0.2, 0.3, 0.4};
    const auto alarms = alarms_from_flags({times, 0.1}, Labels{0, 0, 1, 0, 0});
    const AlarmReport report = judge_alarms({times, 0.1}, alarms, Intervals{{0.3, 0.5}});
    EXPECT_EQ(report.detected, 0);
    EXPECT_EQ(report.false_alarms, 1);
}

TEST(Alarms, AreJudgedAsAnOperatorWould) {
    // Four days of hourly samples. Events: day 1 from 06:00 to 12:00, day 3 all of it, an hour on day 4.
    const double hour = 3600, day = 24 * hour;
    const Values times = every(hour, 96);
    const Intervals events{{6 * hour, 12 * hour}, {2 * day, 3 * day}, {3 * day + 5 * hour, 3 * day + 6 * hour}};
    const Intervals alarms{{2 * hour, 3 * hour},              // false
                           {8 * hour, 14 * hour},             // two hours late, and two hours too long
                           {day, day + hour},                 // false
                           {2 * day - hour, 2 * day + hour},  // on already
                           {2 * day + 5 * hour, 2 * day + 9 * hour}};
    const AlarmReport report = judge_alarms({times, hour}, alarms, events);
    EXPECT_THAT(report.delays, ElementsAre(2 * hour, 0.0, std::nullopt));
    EXPECT_EQ(report.detected, 2);
    EXPECT_EQ(report.false_alarms, 2);
    EXPECT_DOUBLE_EQ(report.healthy_days, (96 - 6 - 24 - 1) / 24.0);
    EXPECT_DOUBLE_EQ(report.false_alarms_per_day, 2 / (65 / 24.0));
    EXPECT_DOUBLE_EQ(report.healthy_time_in_alarm, (1 + 2 + 1 + 1) / 65.0);
}

TEST(Alarms, ThatAreAlwaysOnShowInTheHealthyTime) {
    const Values times = every(1, 100);
    const AlarmReport report = judge_alarms({times, 1}, Intervals{{0, 100}}, Intervals{{50, 60}});
    EXPECT_THAT(report.delays, ElementsAre(0.0));
    EXPECT_EQ(report.false_alarms, 0);
    EXPECT_EQ(report.healthy_time_in_alarm, 1);
}

TEST(Alarms, ThatTouchAnEventWithoutOverlapAreFalse) {
    const Values times = every(1, 100);
    const AlarmReport report = judge_alarms({times, 1}, Intervals{{40, 50}, {60, 61}}, Intervals{{50, 60}});
    EXPECT_EQ(report.detected, 0);
    EXPECT_EQ(report.false_alarms, 2);
}

TEST(Alarms, AreCountedWithoutEventsAndEventsWithoutAlarms) {
    const Values times = every(86'400, 10);
    EXPECT_EQ(judge_alarms({times, 86'400}, Intervals{{0, 1}, {5, 6}}, {}).false_alarms_per_day, 0.2);
    const AlarmReport silent = judge_alarms({times, 86'400}, {}, Intervals{{0, 1}});
    EXPECT_THAT(silent.delays, ElementsAre(std::nullopt));
    EXPECT_EQ(silent.false_alarms_per_day, 0);
}

// Sample by sample: an event is detected when one of its samples lies in an alarm, and the first such tells the delay.
TEST(Alarms, AgreeWithACountOverSamples) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        Rng rng(seed);
        const int64_t count = 200;
        const Values times = every(1, count);
        const auto [scores, labels] = test::make_sample(rng.split("events"), count, 1);
        const Labels flags = test::make_sample(rng.split("alarms"), count, 1).labels;
        Intervals events;
        for (int64_t i = 0; i < count; ++i)
            if (labels[i]) {
                const auto t = static_cast<double>(i);
                if (events.empty() || events.back().end < t) events.push_back({t, t});
                events.back().end = t + 1;
            }
        const auto alarms = alarms_from_flags({times, 1}, flags);
        const AlarmReport report = judge_alarms({times, 1}, alarms, events);
        ASSERT_EQ(report.delays.size(), events.size());
        for (size_t e = 0; e < events.size(); ++e) {
            std::optional<double> delay;
            for (double t = events[e].begin; t < events[e].end && !delay; ++t)
                if (flags[static_cast<int64_t>(t)]) delay = t - events[e].begin;
            EXPECT_EQ(report.delays[e], delay);
        }
        int64_t false_alarms = 0, healthy = 0, in_alarm = 0;
        for (const Interval& alarm : alarms) {
            bool touches = false;
            for (double t = alarm.begin; t < alarm.end; ++t) touches |= labels[static_cast<int64_t>(t)] != 0;
            false_alarms += touches ? 0 : 1;
        }
        for (int64_t i = 0; i < count; ++i)
            if (!labels[i]) ++healthy, in_alarm += flags[i];
        EXPECT_EQ(report.false_alarms, false_alarms);
        EXPECT_DOUBLE_EQ(report.healthy_time_in_alarm, static_cast<double>(in_alarm) / static_cast<double>(healthy));
    }
}

TEST(Alarms, SayWhatIsWrong) {
    using test::expect_input_error;
    const Values times = every(1, 4);
    const auto judge = [&](const Intervals& alarms, const Intervals& events) {
        return [&times, alarms, events] { judge_alarms({times, 1}, alarms, events); };
    };
    expect_input_error([] { judge_alarms({{}, 1}, {}, {}); }, {"no sample times"});
    expect_input_error([&] { judge_alarms({times, 0}, {}, {}); }, {"period of 0 s"});
    expect_input_error([&] { judge_alarms({times, 2}, {}, {}); }, {"value 2 (1 s)", "period of 2 s"});
    expect_input_error([] { judge_alarms({Values{0, kNan}, 1}, {}, {}); }, {"NaN"});
    expect_input_error(judge({}, {{2, 1}}), {"event 1", "from 2 s to 1 s"});
    expect_input_error(judge({{0, kNan}}, {}), {"alarm 1", "nan"});
    expect_input_error(judge({{0, 2}, {1, 3}}, {}), {"alarm 2 begins at 1 s", "2 s"});
    expect_input_error(judge({}, {{8, 9}}), {"event 1", "holds no sample"});
    expect_input_error(judge({}, {{0, 9}}), {"all 4 samples", "healthy"});
    expect_input_error([&] { alarms_from_flags({times, 1}, Labels{1}); }, {"1 flags for 4 sample times"});
    expect_input_error([&] { alarms_from_flags({times, 1}, Labels(4, 0), {0, 0}); }, {"after 0 samples"});
    expect_input_error([&] { alarms_from_flags({times, 1}, Labels(4, 0), {1, kNan}); }, {"nan s"});
}

}  // namespace
}  // namespace cmr::eval
