#include "io/text/time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::io {
namespace {

using test::expect_input_error;

constexpr double kAfternoon = 1450800000;  // 2015-12-22 16:00:00

TEST(Time, EveryWayToWriteAMomentGivesTheSameSeconds) {
    for (const char* text :
         {"2015-12-22 16:00:00", "2015-12-22T16:00:00Z", "2015/12/22 16:00", "2015.12.22 16", "2015-12-22T16:00:00.000",
          " 22/12/2015 4:00:00 PM", "22/12/2015 4:00:00PM", "22.12.15 16:00:00", "22-12-2015  04:00 pm", "22/12/15 16",
          "12/22/2015 16:00:00", "12-22-15 4 PM", "2015-12-22 16:00:00+00:00", "1450800000", "1.4508e9 "})
        EXPECT_EQ(parse_time(text, DateOrder::kUnknown), kAfternoon) << text;
}

TEST(Time, AnOffsetIsTakenOff) {
    for (const char* text :
         {"2015-12-22T18:00:00+02:00", "2015-12-22 18:00:00 +0200", "2015-12-22 18:00+02", "2015-12-22 10:30:00-0530",
          "2015-12-23T00:00:00.0+08:00", "22/12/2015 6:00:00 PM +02:00", "2015-12-22 16:00:00 UTC",
          "2015-12-22T16:00GMT", "2015-12-22T16:00:00-00:00", "2015-12-21 22:00:00-18:00"})
        EXPECT_EQ(parse_time(text, DateOrder::kUnknown), kAfternoon) << text;
    EXPECT_EQ(parse_time("2015-10-25T02:59:59+02:00", DateOrder::kUnknown).value() + 1,
              parse_time("2015-10-25T02:00:00+01:00", DateOrder::kUnknown))
        << "the hour that stands twice in autumn";
}

TEST(Time, ANumberSaysItsUnitByItsSizeOrTheOptionDoes) {
    for (const char* text : {"1450800000", "1450800000000", "1450800000000000", "1450800000000000000"})
        EXPECT_EQ(parse_time(text, DateOrder::kUnknown), kAfternoon) << text;
    EXPECT_EQ(to_seconds(1450800000123, TimeUnit::kAuto), 1450800000.123);
    EXPECT_EQ(to_seconds(-1450800000123, TimeUnit::kAuto), -1450800000.123);
    EXPECT_EQ(to_seconds(99'999'999'999, TimeUnit::kAuto), 99'999'999'999) << "the year 5138";
    EXPECT_EQ(to_seconds(1e11, TimeUnit::kAuto), 1e8);
    EXPECT_EQ(to_seconds(1e11, time_unit("s")), 1e11);
    EXPECT_EQ(to_seconds(1500, time_unit("ms")), 1.5);
    EXPECT_EQ(to_seconds(1500, time_unit("us")), 0.0015);
    EXPECT_EQ(to_seconds(1500, time_unit("ns")), 1.5e-6);
    EXPECT_EQ(parse_time("42360.6666666667", DateOrder::kUnknown, time_unit("excel-days")), kAfternoon);
    EXPECT_EQ(parse_time("736320.6666666667", DateOrder::kUnknown, time_unit("matlab-days")), kAfternoon);
    EXPECT_EQ(parse_time("2015-12-22 16:00:00", DateOrder::kUnknown, time_unit("ms")), kAfternoon) << "a date is one";
    expect_input_error([] { time_unit("minutes"); }, {"time_unit is 'minutes'", "excel-days"});
}

TEST(Time, TheOrderDecidesWhatTheFieldsLeaveOpen) {
    EXPECT_EQ(format_time(*parse_time("06/01/14 00", DateOrder::kDayFirst)), "2014-01-06 00:00:00");
    EXPECT_EQ(format_time(*parse_time("06/01/14 00", DateOrder::kMonthFirst)), "2014-06-01 00:00:00");
    EXPECT_EQ(parse_time("06/01/14 00", DateOrder::kUnknown), std::nullopt);
    EXPECT_EQ(parse_time("22/12/2015", DateOrder::kMonthFirst), std::nullopt);
    EXPECT_EQ(parse_time("12/22/2015", DateOrder::kDayFirst), std::nullopt);
}

TEST(Time, NoonAndMidnightAreTwelve) {
    EXPECT_EQ(parse_time_of_day("12:00:00 AM"), 0);
    EXPECT_EQ(parse_time_of_day("12:30 PM"), 12.5 * 3600);
    EXPECT_EQ(parse_time_of_day("11:59:59 pm"), 86'399);
}

TEST(Time, ATimeOfDayIsNotADate) {
    EXPECT_EQ(parse_time_of_day("10:44:53"), 38'693);
    EXPECT_EQ(parse_time_of_day(" 6:00:00.250 PM "), 64'800.25);
    EXPECT_EQ(parse_time("10:44:53", DateOrder::kDayFirst), std::nullopt);
    EXPECT_EQ(parse_time_of_day("10"), std::nullopt);
    EXPECT_EQ(parse_time_of_day("2015-12-22 16:00:00"), std::nullopt);
}

TEST(Time, WhatDoesNotExistIsRefused) {
    for (const char* text : {"2015-13-01",
                             "2015-00-01",
                             "2015-01-00",
                             "2015-02-29",
                             "1900-02-29",
                             "2015-04-31",
                             "31/02/2015",
                             "2015-12-22 24:00:00",
                             "2015-12-22 25:00",
                             "2015-12-22 10:60",
                             "2015-12-22 10:10:60",
                             "2015-12-22 13:00 PM",
                             "2015-12-22 0:00 AM",
                             "",
                             " ",
                             "2015-12",
                             "2015-12-22T",
                             "2015-12/22",
                             "15-1-1-1",
                             "1.2.3",
                             "22/12/015",
                             "2015-12-22 10:14:33.",
                             "2015-12-22 10:14:33 XM",
                             "2015-12-22x",
                             "inf",
                             "1e999",
                             "Monday",
                             "2015-12-22 10:14:33+1:00",
                             "2015-12-22 10:14:33+01:60",
                             "2015-12-22 10:14:33+01:",
                             "2015-12-22 10:14:33+19:00",
                             "2015-12-22 10:14:33+010",
                             "2015-12-22 10:14:33 CET",
                             "2015-12-22+01:00"}) {
        for (const DateOrder order : {DateOrder::kUnknown, DateOrder::kDayFirst, DateOrder::kMonthFirst})
            EXPECT_EQ(parse_time(text, order), std::nullopt) << text;
    }
}

TEST(Time, LeapYearsFollowTheCalendar) {
    EXPECT_TRUE(parse_time("2000-02-29", DateOrder::kUnknown));
    EXPECT_TRUE(parse_time("2024-02-29", DateOrder::kUnknown));
    EXPECT_EQ(parse_time("1970-01-01", DateOrder::kUnknown), 0);
    EXPECT_EQ(parse_time("2000-03-01", DateOrder::kUnknown), 11'017 * 86'400.0);
    EXPECT_EQ(parse_time("0000-01-01", DateOrder::kUnknown), -719'528 * 86'400.0);
}

TEST(Time, EveryDayFollowsTheOneBefore) {
    const auto days = static_cast<int64_t>(3'652'425);  // 10,000 years
    int64_t year = 0;
    int month = 1, day = 0;
    for (int64_t i = 0; i < days; ++i) {
        const auto written = [&](int of_month) {
            return parse_time(fmt::format("{:04}-{:02}-{:02}", year, month, of_month), DateOrder::kUnknown);
        };
        const bool same_month = written(day + 1).has_value();
        if (same_month) {
            ++day;
        } else {
            day = 1;
            month = month % 12 + 1;
            if (month == 1) ++year;
        }
        ASSERT_EQ(written(day), static_cast<double>(i - 719'528) * 86'400);
    }
    EXPECT_EQ(year, 9999);
}

TEST(Time, WhatIsWrittenIsReadAgain) {
    Rng rng(3);
    for (int i = 0; i < 20'000; ++i) {
        const double micros = std::floor((rng.uniform() - 0.3) * 5e15);
        const double seconds = std::floor(micros / 1e6) + std::fmod(std::abs(micros), 1e6) / 1e6;
        EXPECT_EQ(parse_time(format_time(seconds), DateOrder::kUnknown), seconds) << format_time(seconds);
    }
}

TEST(Time, AFractionIsWrittenOnlyWhereThereIsOne) {
    EXPECT_EQ(format_time(kAfternoon), "2015-12-22 16:00:00");
    EXPECT_EQ(format_time(kAfternoon + 0.25), "2015-12-22 16:00:00.25");
    EXPECT_EQ(format_time(kAfternoon - 1e-8), "2015-12-22 16:00:00");
    EXPECT_EQ(format_time(-0.5), "1969-12-31 23:59:59.5");
    EXPECT_EQ(format_time(1e15), "1000000000000000");
    EXPECT_EQ(format_time(NAN), "nan");
}

TEST(DateOrderGuess, AFieldAboveTwelveDecides) {
    DateOrderGuess guess("auto");
    for (const char* text : {"", "NaN", "2015-01-02", "06/01/14 00", "07/01/14 00"}) guess.observe(text);
    EXPECT_TRUE(guess.open());
    guess.observe("13/01/14 00");
    EXPECT_EQ(guess.settle("a.csv", "t"), DateOrder::kDayFirst);
    guess.observe("01/14/14 00");
    EXPECT_EQ(guess.settle("a.csv", "t"), DateOrder::kDayFirst);
}

TEST(DateOrderGuess, AsksWhereTheDatesLeaveItOpen) {
    DateOrderGuess guess("auto");
    guess.observe(" 06/01/14 00");
    expect_input_error([&] { guess.settle("a.csv", "DATETIME"); },
                       {"a.csv: column 'DATETIME' holds dates such as '06/01/14 00'", "state date_order"});
}

TEST(DateOrderGuess, NeedsNoEvidenceWhereNoOrderMatters) {
    DateOrderGuess guess("auto");
    for (const char* text : {"2015-01-02 10:00", "17", "abc"}) guess.observe(text);
    EXPECT_EQ(guess.settle("a.csv", "t"), DateOrder::kUnknown);
    EXPECT_EQ(DateOrderGuess("month-first").settle("a.csv", "t"), DateOrder::kMonthFirst);
    expect_input_error([] { DateOrderGuess("american"); }, {"'american'", "day-first or month-first"});
}

}  // namespace
}  // namespace cmr::io
