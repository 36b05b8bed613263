#include "base/duration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cmr {
namespace {

TEST(Duration, IsInTheUnitsOfPeople) {
    EXPECT_EQ(duration_text(0), "0 s");
    EXPECT_EQ(duration_text(0.25), "0.25 s");
    EXPECT_EQ(duration_text(2.04), "2 s");
    EXPECT_EQ(duration_text(45.4), "45 s");
    EXPECT_EQ(duration_text(60), "1 min");
    EXPECT_EQ(duration_text(125), "2 min 5 s");
    EXPECT_EQ(duration_text(2.07e4), "5 h 45 min");
    EXPECT_EQ(duration_text(3 * 3600 + 12 * 60), "3 h 12 min");
    EXPECT_EQ(duration_text(2 * 86'400 + 4 * 3600), "2 d 4 h");
    EXPECT_EQ(duration_text(5e3 * 86'400), "5,000 d");
    EXPECT_EQ(duration_text(-90), "−1 min 30 s");
}

TEST(Duration, IsRoundedUpIntoTheNextUnit) {
    EXPECT_EQ(duration_text(9.96), "10 s");
    EXPECT_EQ(duration_text(59.7), "1 min");
    EXPECT_EQ(duration_text(3599.7), "1 h");
    EXPECT_EQ(duration_text(86'399), "1 d");
}

TEST(Rate, IsPerSecondOrATimeForEachSample) {
    EXPECT_EQ(rate_text(0), "unknown rate");
    EXPECT_EQ(rate_text(1), "1 Hz");
    EXPECT_EQ(rate_text(64'000), "64000 Hz");
    EXPECT_EQ(rate_text(2e6), "2,000,000 Hz");
    EXPECT_EQ(rate_text(0.08), "one sample in 12.5 s");
    EXPECT_EQ(rate_text(1.0 / 180), "one sample in 3 min");
    EXPECT_EQ(rate_text(1.0 / 3600), "one sample in 1 h");
}

TEST(Duration, OfNothingIsADash) {
    EXPECT_EQ(duration_text(NAN), "–");
    EXPECT_EQ(duration_text(INFINITY), "–");
    EXPECT_EQ(duration_text(1e16), "–");
}

}  // namespace
}  // namespace cmr
