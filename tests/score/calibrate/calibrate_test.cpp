#include "score/calibrate/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

constexpr double kDay = 86'400;

HealthyTrace trace_of(std::vector<double> scores, double period_s = 60) {
    HealthyTrace trace;
    trace.score = std::move(scores);
    trace.period_s = period_s;
    for (size_t i = 0; i < trace.score.size(); ++i) trace.end_s.push_back(period_s * static_cast<double>(i));
    trace.segment.assign(trace.score.size(), 0);
    return trace;
}

// exp(x / 2) or 5 + x with x an AR(1) process of deviation 1 that forgets in `memory` windows; 0: white.
enum class Tail { gaussian, lognormal };
std::vector<double> simulate(int64_t windows, double memory, Tail tail, Rng rng) {
    const double keep = memory > 0 ? std::exp(-1 / memory) : 0;
    double x = rng.normal();
    std::vector<double> out;
    for (int64_t i = 0; i < windows; ++i) {
        out.push_back(tail == Tail::gaussian ? 5 + x : std::exp(x / 2));
        x = keep * x + std::sqrt(1 - keep * keep) * rng.normal();
    }
    return out;
}

// 40 quiet days of a window per minute with ten spikes of 11, 12, …, 20, evenly spread.
HealthyTrace ten_spikes() {
    std::vector<double> scores;
    for (int i = 0; i < 40 * 1440; ++i) scores.push_back(1 + 1e-6 * (i * 7919 % 57'601));
    for (int i = 0; i < 10; ++i) scores[2880 + 5760 * i] = 11 + (i * 7) % 10;
    return trace_of(scores);
}

double rate_at(double threshold, const HealthyTrace& trace, const AlarmRule& rule) {
    std::vector<double> levels;
    for (const double score : trace.score) levels.push_back(score / threshold);
    const auto count = find_alarms(rule, trace.end_s, levels, trace.segment, trace.period_s).episodes.size();
    return static_cast<double>(count) / (static_cast<double>(levels.size()) * trace.period_s / kDay);
}

TEST(Calibrate, TakesTheThresholdThatJustHasSoManyAlarms) {
    const Calibration five = calibrate(ten_spikes(), {}, 5.0 / 40);
    EXPECT_DOUBLE_EQ(five.threshold, 16);
    EXPECT_EQ(five.false_alarms, 5);
    EXPECT_DOUBLE_EQ(five.healthy_days, 40);
    EXPECT_DOUBLE_EQ(five.promised_per_day, 0.125);
    EXPECT_DOUBLE_EQ(five.observed_per_day, 0.125);
    EXPECT_NEAR(calibrate(ten_spikes(), {}, 5.25 / 40).threshold, 15.75, 1e-9) << "between five and six";
}

TEST(Calibrate, ForAlarmsThatDoNotClusterTheIntervalIsThatOfAPoissonCount) {
    const Calibration five = calibrate(ten_spikes(), {}, 5.0 / 40);
    EXPECT_NEAR(five.dispersion, 1, 0.02) << "what it may be, of many blocks";
    EXPECT_NEAR(five.low_per_day * 40, 3.24697 / 2, 0.02) << "chi-squared with 10 degrees of freedom";
    EXPECT_NEAR(five.high_per_day * 40, 23.33666 / 2, 0.1) << "and with 12";
}

TEST(Calibrate, CountsACrowdOfHighScoresOnce) {
    HealthyTrace trace = ten_spikes();
    for (int i = 0; i < 10; ++i)
        for (int k = 1; k < 30; k += 2) trace.score[2880 + 5760 * i + k] = trace.score[2880 + 5760 * i];
    EXPECT_EQ(calibrate(trace, {.off_delay_s = 120}, 5.0 / 40).threshold, 16);
    EXPECT_NEAR(calibrate(trace, {.off_delay_s = 120}, 5.0 / 40).dispersion, 1, 0.1);
    // Without the delay each of them is an alarm by itself: fifteen per crowd, and so in the highest.
    test::expect_input_error([&] { calibrate(trace, {}, 5.0 / 40); },
                             {"highest healthy score, 20", "15 false alarms", "off_delay_s"});
}

TEST(Calibrate, AShortSpikeDoesNotCountWithAnOnDelay) {
    HealthyTrace trace = ten_spikes();
    for (const int i : {1, 3, 4, 6, 8, 9}) trace.score[2880 + 5760 * i + 1] = trace.score[2880 + 5760 * i];
    // Those last two windows: 18, 12, 19, 13, 17, 14.
    EXPECT_EQ(calibrate(trace, {.on_delay_s = 60}, 3.0 / 40).threshold, 17);
    EXPECT_EQ(calibrate(trace, {}, 3.0 / 40).threshold, 18);
}

TEST(Calibrate, AlarmsThatClusterWidenTheInterval) {
    const double rate = 1;  // of 40 days
    const Calibration white = calibrate(trace_of(simulate(40 * 1440, 0, Tail::lognormal, Rng(1))), {}, rate);
    const Calibration slow = calibrate(trace_of(simulate(40 * 1440, 50, Tail::lognormal, Rng(1))), {}, rate);
    EXPECT_LT(white.dispersion, 1.2);
    EXPECT_GT(slow.dispersion, 1.6);
    EXPECT_GT(slow.high_per_day, 1.15 * white.high_per_day);
    EXPECT_LT(slow.low_per_day, 0.9 * white.low_per_day);
    EXPECT_LE(white.block_windows, 10);
    EXPECT_LT(slow.block_windows, 5 * 2 * 50)
        << "of all scores the sum of correlations is 2 · 50; high ones pass sooner";
    EXPECT_GT(slow.block_windows, 5 * 50 / 2);
    EXPECT_EQ(slow.blocks, 40 * 1440 / slow.block_windows);
}

struct Process {
    double memory;  // in windows
    Tail tail;
    AlarmRule rule;
};

class LongHealthyData : public testing::TestWithParam<Process> {};

// The promise itself: of 40 machines, each calibrated on its own two healthy weeks, the printed interval holds the rate
// that such a machine has in a year.
TEST_P(LongHealthyData, HasARateWithinThePrintedInterval) {
    const auto [memory, tail, rule] = GetParam();
    const HealthyTrace later = trace_of(simulate(365 * 1440, memory, tail, Rng(99)));
    int within = 0;
    double ratio = 0;
    for (int machine = 0; machine < 40; ++machine) {
        const HealthyTrace trace = trace_of(simulate(14 * 1440, memory, tail, Rng(7).split(machine)));
        const Calibration found = calibrate(trace, rule, 1.5);
        const double rate = rate_at(found.threshold, later, rule);
        within += found.low_per_day <= rate && rate <= found.high_per_day;
        ratio += rate / 1.5 / 40;
        EXPECT_LT(found.high_per_day, 3.3 * 1.5) << "an interval that says nothing";
        EXPECT_NEAR(found.observed_per_day, 1.5, 1.0 / 14) << "by construction, but for one alarm";
    }
    EXPECT_GE(within, 36) << "95 % is 38";
    EXPECT_NEAR(ratio, 1, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Calibrate, LongHealthyData,
                         testing::Values(Process{0, Tail::gaussian, {}}, Process{5, Tail::gaussian, {}},
                                         Process{50, Tail::gaussian, {}}, Process{5, Tail::lognormal, {}},
                                         Process{50, Tail::lognormal, {.on_delay_s = 180, .off_delay_s = 600}}));

// 3,000 windows of scores that stay alike for 15: a tenth of them is high, and passes sooner. Most such machines get a
// promise, and it is kept.
TEST(Calibrate, PromisesWhereHighScoresPassSoon) {
    const HealthyTrace later = trace_of(simulate(365 * 1440, 15, Tail::lognormal, Rng(98)));
    int accepted = 0, within = 0;
    for (int machine = 0; machine < 40; ++machine) {
        const auto found = smallest_promise(trace_of(simulate(3000, 15, Tail::lognormal, Rng(8).split(machine))), {});
        if (!found) continue;
        ++accepted;
        const double rate = rate_at(found->threshold, later, {});
        within += found->low_per_day <= rate && rate <= found->high_per_day;
        EXPECT_GE(found->blocks, 10);
    }
    EXPECT_GE(accepted, 38);
    EXPECT_GE(within, accepted - 3);
}

// Windows that share samples, and whatever the slow clock remembers: 400 windows in a row that overlap by 16 are too
// few, and 800 are not.
TEST(Calibrate, ABlockHoldsFiveLengthsOfAWindow) {
    HealthyTrace trace = trace_of(simulate(800, 0, Tail::gaussian, Rng(5)));
    trace.overlap = 16;
    EXPECT_EQ(smallest_promise(trace, {}).value().block_windows, 80);
    trace = trace_of(simulate(400, 0, Tail::gaussian, Rng(5)));
    EXPECT_TRUE(smallest_promise(trace, {}));
    trace.overlap = 16;
    EXPECT_FALSE(smallest_promise(trace, {}));
    test::expect_input_error([&] { calibrate(trace, {}, 100); },
                             {"400 healthy windows", "stretches of 16 windows", "50 such stretches", "800 windows"});
}

// The same counts of few blocks may come from more clusters than of many.
TEST(Calibrate, FewBlocksWidenTheInterval) {
    const auto relative = [](int64_t windows) {
        const auto found = smallest_promise(trace_of(simulate(windows, 0, Tail::gaussian, Rng(5))), {});
        return found.value().promised_per_day * found.value().healthy_days;  // false alarms that it takes
    };
    EXPECT_GT(relative(60), 1.2 * 2.5) << "12 blocks";
    EXPECT_LT(relative(60'000), 1.2 * 2.5) << "12,000 blocks";
}

TEST(Calibrate, RefusesAPromiseThatTheDataCannotSupportAndNamesOneThatItCan) {
    const HealthyTrace trace = ten_spikes();
    test::expect_input_error(
        [&] { calibrate(trace, {}, 0.01); },
        {"0.01 false alarms per day", "from 40 d of healthy data", "0.4 would be expected and 2.54 are needed",
         "0.065 per day", "needs 260 d of healthy data"});
    test::expect_input_error([&] { calibrate(trace, {}, 1e-300); },
                             {"1e-300 per day needs more than 100 years of healthy data"});
    EXPECT_NO_THROW(calibrate(trace, {}, 0.065));
    test::expect_input_error([&] { calibrate(trace, {}, 0.063); }, {"0.065 per day"});

    // Clusters ask for more data.
    const HealthyTrace slow = trace_of(simulate(40 * 1440, 50, Tail::lognormal, Rng(1)));
    try {
        calibrate(slow, {}, 0.07);
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        const std::string text = error.what();
        const double supported = std::stod(text.substr(text.find("support is ") + 11));
        EXPECT_THAT(text, testing::HasSubstr("clusters"));
        EXPECT_GT(supported, 1.5 * 0.063);
        EXPECT_NO_THROW(calibrate(slow, {}, supported)) << text;
        EXPECT_THROW(calibrate(slow, {}, 0.8 * supported), InputError) << text;
    }
}

TEST(Calibrate, FindsTheSmallestRateThatIsNotRefused) {
    const auto found = smallest_promise(ten_spikes(), {});
    ASSERT_TRUE(found);
    EXPECT_GT(found->promised_per_day, 2.5 / 40);
    EXPECT_EQ(calibrate(ten_spikes(), {}, found->promised_per_day).threshold, found->threshold);
    EXPECT_THROW(calibrate(ten_spikes(), {}, 0.95 * found->promised_per_day), InputError);
    std::vector<double> slow;
    for (int i = 0; i < 1000; ++i) slow.push_back(2 + std::sin(i / 150.0));
    EXPECT_FALSE(smallest_promise(trace_of(slow), {}));
    EXPECT_FALSE(smallest_promise(trace_of({}), {}));
}

TEST(Calibrate, RefusesToPromiseForAnotherMachineWhatFewDid) {
    HealthyTrace trace = ten_spikes();
    trace.machines = 20;
    EXPECT_EQ(calibrate(trace, {}, 5.0 / 40).threshold, 16);
    trace.machines = 19;
    test::expect_input_error([&] { calibrate(trace, {}, 5.0 / 40); }, {"19 machines", "20", "that machine itself"});
    EXPECT_FALSE(smallest_promise(trace, {}));
}

TEST(Calibrate, RefusesATraceThatIsNoLongerThanItsMemory) {
    std::vector<double> drift;
    for (int i = 0; i < 5000; ++i) drift.push_back(1 + 1e-3 * i);
    test::expect_input_error([&] { calibrate(trace_of(drift), {}, 2); },
                             {"5,000 healthy windows", "3 d 11 h", "come in stretches of", "500 of the 500 highest",
                              "8 h 20 min", "50 such stretches", "windows (", "of healthy data"});
    // What the rate itself takes, where that is more.
    test::expect_input_error([&] { calibrate(trace_of(drift), {}, 0.001); },
                             {"of healthy data, and 2,500 d for 0.001"});
    test::expect_input_error([&] { calibrate(trace_of(drift), {}, 1e-300); },
                             {"of healthy data, and more than 100 years for 1e-300 a day"});
}

TEST(Calibrate, RefusesMoreAlarmsThanThereCanBe) {
    const HealthyTrace trace = trace_of(simulate(14'400, 0, Tail::gaussian, Rng(3)));  // ten days
    test::expect_input_error([&] { calibrate(trace, {}, 1000); },
                             {"1000 false alarms per day", "does 10 d of healthy data", "release (0.9)"});
}

TEST(Calibrate, StaysAboveAScoreThatManyAlarmsShare) {
    HealthyTrace trace = ten_spikes();
    for (double& score : trace.score)
        if (score > 12 && score < 17) score = 14;  // 13, 14, 15, 16
    const Calibration found = calibrate(trace, {}, 6.0 / 40);
    EXPECT_DOUBLE_EQ(found.threshold, 15.5) << "between 14 and 17";
    EXPECT_EQ(found.false_alarms, 4);
    EXPECT_NEAR(found.low_per_day * 40, 2.17973 / 2, 0.02) << "chi-squared with 8 degrees of freedom";
    EXPECT_NEAR(found.high_per_day * 40, 26.11895 / 2, 0.1) << "and with 14, for the six that were asked for";
    for (double& score : trace.score) score = std::min(score, 11.0);
    test::expect_input_error([&] { calibrate(trace, {}, 5.0 / 40); },
                             {"highest healthy score, 11", "10 false alarms", "5 are wanted", "clipped"});
}

TEST(Calibrate, EndsAlarmsWhereTheRecordingIsInterrupted) {
    std::vector<double> scores(20'000);
    for (int i = 0; i < 20'000; ++i) scores[i] = 1 + 1e-6 * (i * 7919 % 20'011);
    for (int i = 0; i < 10; ++i) std::fill_n(scores.begin() + 1000 + 2000 * i, 50, 11.0 + i);
    HealthyTrace trace = trace_of(scores);
    EXPECT_EQ(calibrate(trace, {}, 4 / (20'000 * 60 / kDay)).threshold, 17);
    for (size_t i = 0; i < trace.segment.size(); ++i) trace.segment[i] = i >= 1025 + 2000 * 9;  // amid the highest
    EXPECT_EQ(calibrate(trace, {}, 4 / (20'000 * 60 / kDay)).threshold, 18) << "20, 20, 19, 18";
}

TEST(Calibrate, TheThresholdFollowsTheUnitOfTheScoreAndTheRateThatOfTime) {
    const std::vector<double> scores = simulate(20'000, 5, Tail::lognormal, Rng(4));
    std::vector<double> larger = scores;
    for (double& score : larger) score *= 1024;
    const Calibration a = calibrate(trace_of(scores, 60), {}, 1), b = calibrate(trace_of(larger, 6), {}, 10);
    EXPECT_DOUBLE_EQ(b.threshold, 1024 * a.threshold);
    EXPECT_NEAR(b.high_per_day, 10 * a.high_per_day, 1e-9);
    EXPECT_EQ(b.false_alarms, a.false_alarms);
}

TEST(Calibrate, SaysWhatItCannotUse) {
    const HealthyTrace good = ten_spikes();
    test::expect_input_error([] { calibrate({}, {}, 1); }, {"no healthy windows"});
    for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
        test::expect_input_error([&] { calibrate(good, {}, rate); }, {"false alarms per day", "above 0"});
    test::expect_input_error([&] { calibrate(good, {.release = 2}, 1); }, {"release = 2"});
    test::expect_input_error([] { calibrate(trace_of(std::vector<double>(1000, 3.0)), {}, 1); },
                             {"all 1000 healthy scores are 3"});
    test::expect_input_error([] { calibrate(trace_of({-3, -2, -1}), {}, 1); }, {"greatest", "-1", "positive"});
    HealthyTrace bad = good;
    bad.score[7] = std::numeric_limits<double>::quiet_NaN();
    test::expect_input_error([&] { calibrate(bad, {}, 1); }, {"score 8 of 57600", "nan"});
    bad = good;
    bad.end_s[7] = bad.end_s[6];
    test::expect_input_error([&] { calibrate(bad, {}, 1); }, {"360 s after one at 360 s"});
    bad = good;
    bad.segment.pop_back();
    test::expect_input_error([&] { calibrate(bad, {}, 1); }, {"57599 segments"});
    bad = good;
    bad.period_s = 0;
    test::expect_input_error([&] { calibrate(bad, {}, 1); }, {"0 s from one window"});
}

}  // namespace
}  // namespace cmr::score
