#include "score/calibrate/alarm.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/fields.h"
#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A window per second from time 0, in one segment: "1" where the alarm is on.
std::string flags(const AlarmRule& rule, const std::vector<double>& levels) {
    AlarmLogic logic(rule);
    std::string out;
    for (size_t i = 0; i < levels.size(); ++i) out += logic.push(static_cast<double>(i), levels[i]) ? '1' : '0';
    return out;
}

TEST(Alarm, WithoutDelaysBeginsAtTheLineAndEndsBelowRelease) {
    EXPECT_EQ(flags({.release = 0.9}, {0.99, 1.0, 0.95, 0.9, 0.89, 0.95, 2.0}), "0111001");
    EXPECT_EQ(flags({.release = 1.0}, {0.99, 1.0, 0.95, 0.9, 0.89, 0.95, 2.0}), "0100001");
}

TEST(Alarm, BeginsWhenTheLevelStayedHighForTheOnDelay) {
    const AlarmRule rule{.on_delay_s = 2};
    EXPECT_EQ(flags(rule, {0, 1, 1, 1, 1, 0}), "000110");
    EXPECT_EQ(flags(rule, {1, 1, 0.95, 1, 1, 1}), "000001") << "a dip below 1 begins anew, though it is above release";
}

TEST(Alarm, EndsWhenTheLevelStayedLowForTheOffDelay) {
    const AlarmRule rule{.off_delay_s = 2, .release = 0.5};
    EXPECT_EQ(flags(rule, {1, 0, 0, 0, 0, 1}), "111001");
    EXPECT_EQ(flags(rule, {1, 0, 0, 0.6, 0, 0, 0, 0}), "11111100") << "a rise above release begins anew";
}

TEST(Alarm, IsNotLateByARoundingError) {
    AlarmLogic logic({.on_delay_s = 0.3});
    const double start = 1.7e9;  // a date
    std::string out;
    for (int i = 0; i < 5; ++i) out += logic.push(start + 0.1 * i, 1) ? '1' : '0';
    EXPECT_EQ(out, "00011");
}

TEST(Alarm, StartsAnewAfterAGap) {
    const AlarmRule rule{.on_delay_s = 2, .off_delay_s = 2};
    AlarmLogic logic(rule, /*max_step_s=*/1.5);
    for (const double time : {0.0, 1.0}) EXPECT_FALSE(logic.push(time, 2));
    EXPECT_FALSE(logic.push(10, 2)) << "nobody knows what was between";
    EXPECT_FALSE(logic.push(11.5, 2));
    EXPECT_TRUE(logic.push(12.5, 2));
    EXPECT_FALSE(logic.push(20, 2)) << "an alarm does not last over a gap";

    AlarmLogic patient(rule);
    EXPECT_FALSE(patient.push(0, 2));
    EXPECT_TRUE(patient.push(10, 2)) << "without a longest step there are no gaps";
    patient.reset();
    EXPECT_FALSE(patient.on());
    EXPECT_FALSE(patient.push(3, 2)) << "after a reset the clock may be another";
}

TEST(Alarm, GoesOnFromASavedState) {
    const AlarmRule rule{.on_delay_s = 3, .off_delay_s = 2, .release = 0.8};
    AlarmLogic whole(rule, 5);
    std::vector<AlarmState> saved;
    std::string flags;
    Rng rng(1);
    std::vector<double> levels;
    for (int i = 0; i < 300; ++i) levels.push_back(rng.uniform() < 0.8 ? 1.2 * (i / 10 % 2) : rng.uniform(0.7, 1.1));
    for (int i = 0; i < 300; ++i) {
        saved.push_back(whole.state());
        flags += whole.push(i, levels[i]) ? '1' : '0';
    }
    ASSERT_NE(flags.find('1'), std::string::npos);
    for (int i = 0; i < 300; ++i) {
        AlarmLogic restarted(rule, 5, saved[i]);
        EXPECT_EQ(restarted.push(i, levels[i]), flags[i] == '1') << "at " << i;
        EXPECT_EQ(restarted.state(), i + 1 < 300 ? saved[i + 1] : whole.state()) << "at " << i;
    }
}

TEST(Alarm, BatchGivesTheFlagsOfTheStreamAndTheirEpisodes) {
    const std::vector<double> times = {0, 1, 2, 3, 4, 10, 11, 12, 13}, levels = {1, 1, 0, 1, 1, 1, 1, 0, 1};
    const std::vector<int32_t> segment = {4, 4, 4, 4, 4, 5, 5, 5, 5};
    const Alarms alarms = find_alarms({}, times, levels, segment, 1);
    EXPECT_EQ(alarms.on, (std::vector<uint8_t>{1, 1, 0, 1, 1, 1, 1, 0, 1}));
    EXPECT_EQ(alarms.episodes, (std::vector<Episode>{{0, 2}, {3, 5}, {10, 12}, {13, 14}}))
        << "an alarm ends with its segment";
    EXPECT_EQ(find_alarms({}, times, levels, segment, 7).episodes[1], (Episode{3, 10})) << "or where the next begins";
    const Alarms late = find_alarms({.on_delay_s = 1}, times, levels, segment, 1);
    EXPECT_EQ(late.on, (std::vector<uint8_t>{0, 1, 0, 0, 1, 0, 1, 0, 0})) << "delays begin anew in a segment";
    EXPECT_EQ(late.episodes, (std::vector<Episode>{{1, 2}, {4, 5}, {11, 12}}));
    EXPECT_TRUE(find_alarms({}, {}, {}, {}, 1).episodes.empty());
}

TEST(Alarm, EpisodesOfALongStreamHoldExactlyTheFlaggedWindows) {
    std::vector<double> times, levels;
    std::vector<int32_t> segment;
    Rng rng(2);
    double level = 0.9;
    for (int i = 0; i < 5000; ++i) {
        times.push_back(2.0 * i);
        levels.push_back(level += 0.1 * (0.9 - level) + 0.1 * rng.normal());
        segment.push_back(i / 700);
    }
    const AlarmRule rule{.on_delay_s = 4, .off_delay_s = 6, .release = 0.95};
    const Alarms alarms = find_alarms(rule, times, levels, segment, 2);
    ASSERT_GT(alarms.episodes.size(), 20u);
    AlarmLogic logic(rule);
    size_t e = 0;
    for (size_t i = 0; i < times.size(); ++i) {
        if (i % 700 == 0) logic.reset();
        ASSERT_EQ(logic.push(times[i], levels[i]), alarms.on[i] == 1) << "window " << i;
        while (e < alarms.episodes.size() && alarms.episodes[e].end_s <= times[i]) ++e;
        const bool inside = e < alarms.episodes.size() && alarms.episodes[e].begin_s <= times[i];
        ASSERT_EQ(inside, alarms.on[i] == 1) << "window " << i;
    }
}

TEST(Alarm, NamesItsSettings) {
    AlarmRule rule;
    std::vector<std::string> names;
    visit_fields(rule, [&](const char* name, double& value, const char*) {
        names.push_back(name);
        value = 7;
    });
    EXPECT_EQ(names, (std::vector<std::string>{"on_delay_s", "off_delay_s", "release"}));
    EXPECT_EQ(rule.on_delay_s + rule.off_delay_s + rule.release, 21);
    EXPECT_TRUE(kHasFields<AlarmRule>);
}

TEST(Alarm, SaysWhatItCannotUse) {
    test::expect_input_error([] { AlarmLogic({.on_delay_s = -1}); }, {"on_delay_s = -1", "0 or more"});
    test::expect_input_error([] { AlarmLogic({.off_delay_s = kInfinity}); }, {"off_delay_s = inf"});
    test::expect_input_error([] { AlarmLogic({.release = 0}); }, {"release = 0"});
    test::expect_input_error([] { AlarmLogic({.release = 1.1}); }, {"release = 1.1"});
    test::expect_input_error([] { AlarmLogic({.release = kNan}); }, {"release = nan"});
    test::expect_input_error([] { AlarmLogic({}, 0); }, {"0 s"});
    AlarmLogic logic({});
    logic.push(5, 1);
    const AlarmState before = logic.state();
    test::expect_input_error([&] { logic.push(6, kNan); }, {"at 6 s", "nan"});
    test::expect_input_error([&] { logic.push(6, kInfinity); }, {"at 6 s", "inf"});
    test::expect_input_error([&] { logic.push(kNan, 0); }, {"time", "nan"});
    test::expect_input_error([&] { logic.push(5, 0); }, {"5 s after one at 5 s"});
    EXPECT_EQ(logic.state(), before);
    const std::vector<double> two = {1, 2};
    const std::vector<int32_t> one = {1}, same = {1, 1};
    test::expect_input_error([&] { find_alarms({}, two, two, one, 1); }, {"2 times", "1 segments"});
    test::expect_input_error([&] { find_alarms({}, two, two, same, 0); }, {"0 s"});
}

}  // namespace
}  // namespace cmr::score
