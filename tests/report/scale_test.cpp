#include "report/scale.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/rng.h"

namespace cmr::report {
namespace {

using enum ScaleKind;
using testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMarch9 = 1'583'712'000;  // 2020-03-09 00:00:00

std::vector<std::string> labels(const Scale& scale, int most) {
    std::vector<std::string> out;
    for (const Tick& tick : scale.ticks(most)) out.push_back(tick.label);
    return out;
}

std::vector<std::string> contexts(const Scale& scale, int most) {
    std::vector<std::string> out;
    for (const Tick& tick : scale.ticks(most)) out.push_back(tick.context);
    return out;
}

TEST(Scale, PutsValuesInTheirPlaces) {
    const Scale rising(kLinear, 0, 10, 200, 100);
    EXPECT_DOUBLE_EQ(rising.at(0), 200);
    EXPECT_DOUBLE_EQ(rising.at(2.5), 175);
    EXPECT_DOUBLE_EQ(rising.at(10), 100);
    const Scale log(kLog, 0.01, 100, 0, 400);
    EXPECT_NEAR(log.at(1), 200, 1e-9);
    EXPECT_NEAR(log.at(10), 300, 1e-9);
}

TEST(Scale, DrawsWhatLiesOutsideAtTheEnd) {
    const Scale log(kLog, 0.1, 10, 0, 100);
    EXPECT_DOUBLE_EQ(log.at(0), 0);
    EXPECT_DOUBLE_EQ(log.at(-5), 0);
    EXPECT_DOUBLE_EQ(log.at(kInfinity), 100);
    EXPECT_THROW(log.at(kNan), InternalError);
}

TEST(Scale, ServesWhateverItsEnds) {
    for (const ScaleKind kind : {kLinear, kLog, kTime, kElapsed})
        for (const double low : {-kInfinity, -1e300, -1.0, 0.0, 1e-300, 5.0, kMarch9, 1e300, kInfinity, kNan})
            for (const double high : {-kInfinity, -1e300, -1.0, 0.0, 1e-300, 5.0, kMarch9, 1e300, kInfinity, kNan}) {
                const Scale scale(kind, low, high, 0, 500);
                EXPECT_TRUE(std::isfinite(scale.low()) && std::isfinite(scale.high()) && scale.low() < scale.high());
                for (const Tick& tick : scale.ticks(6)) {
                    EXPECT_TRUE(std::isfinite(scale.at(tick.value)));
                    EXPECT_FALSE(tick.label.empty());
                }
            }
}

TEST(Ticks, AreRoundNumbers) {
    EXPECT_THAT(labels(Scale(kLinear, 0, 10, 0, 1), 6), ElementsAre("0", "2", "4", "6", "8", "10"));
    EXPECT_THAT(labels(Scale(kLinear, -0.13, 0.34, 0, 1), 5), ElementsAre("\xE2\x88\x92"
                                                                          "0.1",
                                                                          "0", "0.1", "0.2", "0.3"));
    EXPECT_THAT(labels(Scale(kLinear, 700, 1000, 0, 1), 3), ElementsAre("800", "1000"));
    EXPECT_THAT(labels(Scale(kLinear, 1e9, 5e9, 0, 1), 5),
                ElementsAre("1,000,000,000", "2,000,000,000", "3,000,000,000", "4,000,000,000", "5,000,000,000"));
}

// Every step is 1, 2 or 5 times a power of ten, and the ticks leave less than a step free at both ends.
TEST(Ticks, CoverTheRangeInEqualRoundSteps) {
    Rng rng(1);
    for (int i = 0; i < 2000; ++i) {
        const double size = std::pow(10, rng.uniform(-6, 6)), low = rng.uniform(-3, 3) * size;
        const double high = low + rng.uniform(0.01, 3) * size;
        const auto ticks = Scale(kLinear, low, high, 0, 1).ticks(8);
        ASSERT_GE(ticks.size(), 2u) << low << " to " << high;
        ASSERT_LE(ticks.size(), 8u) << low << " to " << high;
        const double step = ticks[1].value - ticks[0].value;
        const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-6));
        EXPECT_TRUE(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 || std::abs(mantissa - 5) < 1e-6)
            << step;
        EXPECT_LT(ticks.front().value - low, step * 1.001);
        EXPECT_LT(high - ticks.back().value, step * 1.001);
        for (size_t k = 1; k < ticks.size(); ++k) {
            EXPECT_NEAR(ticks[k].value - ticks[k - 1].value, step, step * 1e-6);
            EXPECT_NE(ticks[k].label, ticks[k - 1].label);
        }
    }
}

TEST(Ticks, OfALogarithmArePowersOfTenWhereThereAreEnough) {
    EXPECT_THAT(labels(Scale(kLog, 0.05, 200, 0, 1), 6), ElementsAre("0.1", "1", "10", "100"));
    EXPECT_THAT(labels(Scale(kLog, 1e-6, 1e6, 0, 1), 5), ElementsAre("10⁻⁶", "0.001", "1", "1000", "10⁶"));
    EXPECT_THAT(labels(Scale(kLog, 0.8, 9, 0, 1), 6), ElementsAre("1", "2", "5"));
    EXPECT_THAT(labels(Scale(kLog, 5.1, 5.9, 0, 1), 4), ElementsAre("5.2", "5.4", "5.6", "5.8"));
}

TEST(Ticks, OfTheCalendarAreHoursWithTheirDay) {
    const Scale two_days(kTime, kMarch9, kMarch9 + 2 * 86'400, 0, 1);
    EXPECT_THAT(labels(two_days, 9),
                ElementsAre("00:00", "06:00", "12:00", "18:00", "00:00", "06:00", "12:00", "18:00", "00:00"));
    EXPECT_THAT(contexts(two_days, 9), ElementsAre("9 Mar 2020", "", "", "", "10 Mar 2020", "", "", "", "11 Mar 2020"));
}

TEST(Ticks, OfTheCalendarSuitTheSpan) {
    const auto from_march_9 = [](double seconds) { return Scale(kTime, kMarch9, kMarch9 + seconds, 0, 1); };
    EXPECT_THAT(labels(from_march_9(1), 5), ElementsAre("00:00:00.0", "00:00:00.5", "00:00:01.0"));
    EXPECT_THAT(labels(from_march_9(10), 6),
                ElementsAre("00:00:00", "00:00:02", "00:00:04", "00:00:06", "00:00:08", "00:00:10"));
    EXPECT_THAT(labels(from_march_9(3600), 5), ElementsAre("00:00", "00:15", "00:30", "00:45", "01:00"));
    EXPECT_THAT(labels(from_march_9(4 * 86'400), 5), ElementsAre("9 Mar", "10 Mar", "11 Mar", "12 Mar", "13 Mar"));
    EXPECT_THAT(labels(from_march_9(100 * 86'400), 5), ElementsAre("Apr", "May", "Jun"));
    EXPECT_THAT(contexts(from_march_9(400 * 86'400), 5), ElementsAre("2020", "", "", "2021", ""));
    EXPECT_THAT(labels(from_march_9(1200 * 86'400), 5), ElementsAre("2021", "2022", "2023"));
}

TEST(Ticks, OfElapsedTimeNameTheirUnit) {
    EXPECT_THAT(labels(Scale(kElapsed, 0, 0.4, 0, 1), 5), ElementsAre("0", "100 ms", "200 ms", "300 ms", "400 ms"));
    EXPECT_THAT(labels(Scale(kElapsed, -60, 60, 0, 1), 5), ElementsAre("\xE2\x88\x92"
                                                                       "60 s",
                                                                       "\xE2\x88\x92"
                                                                       "30 s",
                                                                       "0", "30 s", "60 s"));
    EXPECT_THAT(labels(Scale(kElapsed, 0, 3600, 0, 1), 5), ElementsAre("0", "15 min", "30 min", "45 min", "60 min"));
    EXPECT_THAT(labels(Scale(kElapsed, 0, 86'400, 0, 1), 6), ElementsAre("0", "6 h", "12 h", "18 h", "24 h"));
    EXPECT_THAT(labels(Scale(kElapsed, 0, 10 * 86'400, 0, 1), 6), ElementsAre("0", "2 d", "4 d", "6 d", "8 d", "10 d"));
}

// Whatever the ends, there are no more than asked for, they rise, and none lies outside.
TEST(Ticks, AreInsideTheRangeAndNoMoreThanAskedFor) {
    Rng rng(2);
    for (const ScaleKind kind : {kLinear, kLog, kTime, kElapsed})
        for (int i = 0; i < 1000; ++i) {
            const double low = kind == kLog ? std::pow(10, rng.uniform(-9, 9)) : rng.uniform(0, 1) * kMarch9;
            const double high =
                kind == kLog ? low * std::pow(10, rng.uniform(0.01, 9)) : low + std::pow(10, rng.uniform(0.3, 9.5));
            const int most = 2 + static_cast<int>(rng.below(12));
            const Scale scale(kind, low, high, 0, 1);
            const auto ticks = scale.ticks(most);
            EXPECT_LE(std::ssize(ticks), most) << low << " to " << high;
            for (size_t k = 0; k < ticks.size(); ++k) {
                EXPECT_GE(ticks[k].value, low - (high - low) * 1e-6);
                EXPECT_LE(ticks[k].value, high + (high - low) * 1e-6);
                if (k > 0) {
                    EXPECT_GT(ticks[k].value, ticks[k - 1].value);
                }
            }
        }
}

TEST(Scale, RoundEndsHoldTheRange) {
    const Scale scale = Scale(kLinear, 0.3, 9.2, 100, 0).with_round_ends(5);
    EXPECT_DOUBLE_EQ(scale.low(), 0);
    EXPECT_DOUBLE_EQ(scale.high(), 10);
    const Scale log = Scale(kLog, 0.3, 92, 100, 0).with_round_ends(5);
    EXPECT_NEAR(log.low(), 0.1, 1e-12);
    EXPECT_NEAR(log.high(), 100, 1e-9);
}

TEST(Range, ForgetsWhatIsNotFinite) {
    Range range;
    range.include(kNan);
    EXPECT_TRUE(range.empty);
    range.include(3.0);
    range.include(-kInfinity);
    range.include(std::vector<float>{1.f, std::numeric_limits<float>::quiet_NaN()});
    EXPECT_DOUBLE_EQ(range.low, 1);
    EXPECT_DOUBLE_EQ(range.high, 3);
}

TEST(Moments, AreDatesInUtc) {
    EXPECT_EQ(date_and_time(0), "1970-01-01 00:00:00");
    EXPECT_EQ(date_and_time(kMarch9 + 14 * 3600 + 32 * 60 + 4.7), "2020-03-09 14:32:05");
    EXPECT_EQ(date_and_time(-1), "1969-12-31 23:59:59");
    EXPECT_EQ(time_of_day(kMarch9 + 59.6), "00:01:00");
    EXPECT_EQ(date_and_time(1e15), "1000000000000000");
}

}  // namespace
}  // namespace cmr::report
