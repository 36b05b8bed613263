#include "live/formats/time_stamp.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

TEST(TimeStamp, ANumberCountsWhatItsSizeSays) {
    for (const int64_t number : {1767952473l, 1767952473000l, 1767952473000000l, 1767952473000000000l})
        EXPECT_EQ(seconds_of(number, TimeUnit::kAny), 1767952473.0) << number;
    EXPECT_EQ(seconds_of(0.5, TimeUnit::kAny), 0.5);
    EXPECT_EQ(seconds_of(1767952473123.5, TimeUnit::kAny), 1767952473.1235);
    EXPECT_EQ(seconds_of(int64_t{5}, TimeUnit::kMilliseconds), 0.005);
}

TEST(TimeStamp, AnyUnitGivesTheSameNumberAsTheTimeInSeconds) {
    for (int64_t ms = 1767952473000; ms < 1767952474000; ++ms) {
        const std::string seconds = std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1);
        EXPECT_EQ(seconds_of(ms, TimeUnit::kMilliseconds), std::stod(seconds));
        EXPECT_EQ(seconds_of(1000000 * ms, TimeUnit::kNanoseconds), std::stod(seconds));
    }
}

TEST(TimeStamp, DatesHaveAZoneOrAreUtc) {
    for (const char* text : {"2026-01-09T09:54:33Z", "2026-01-09 09:54:33", "2026-01-09T10:54:33+01:00",
                             "2026-01-09T05:24:33-0430", "2026-01-09T11:54:33.000+02"})
        EXPECT_EQ(seconds_of(std::string_view(text), TimeUnit::kAny), 1767952473.0) << text;
    EXPECT_EQ(seconds_of(std::string_view("1767952473000"), TimeUnit::kAny), 1767952473.0);
}

TEST(TimeStamp, WhatIsNoTimeGivesNone) {
    for (const char* text :
         {"", "soon", "2026-13-09T09:54:33Z", "2026-01-09T09:54:33+1:00", "2026-01-09T09:54:33+99:00"})
        EXPECT_EQ(seconds_of(std::string_view(text), TimeUnit::kAny), std::nullopt) << text;
    EXPECT_EQ(seconds_of(int64_t{3}, TimeUnit::kDate), std::nullopt);
    EXPECT_EQ(seconds_of(std::numeric_limits<double>::infinity(), TimeUnit::kSeconds), std::nullopt);
    test::expect_input_error([] { parse_time_unit("min", TimeUnit::kAny); }, {"'min'", "s, ms, us, ns or iso"});
}

}  // namespace
}  // namespace cmr::live
