#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace cmr {
namespace {

TEST(Text, NumbersHaveACommaEveryThreeDigits) {
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(5999), "5,999");
    EXPECT_EQ(with_commas(1234567), "1,234,567");
    EXPECT_EQ(with_commas(-999), "-999");
    EXPECT_EQ(with_commas(-123456), "-123,456");
    EXPECT_EQ(with_commas(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(ShortNumber, HasItsDigitsAndNoPowersOfTenWhereItIsLarge) {
    EXPECT_EQ(short_number(0.0123456), "0.0123");
    EXPECT_EQ(short_number(12.345), "12.3");
    EXPECT_EQ(short_number(999.4), "999");
    EXPECT_EQ(short_number(999.6), "1,000");
    EXPECT_EQ(short_number(213'456.7), "213,457");
    EXPECT_EQ(short_number(-1234.5), "-1,235");
    EXPECT_EQ(short_number(213.4, 2), "213");
    EXPECT_EQ(short_number(0.4286, 2), "0.43");
    EXPECT_EQ(short_number(101'325, 4), "101,325");
    EXPECT_EQ(short_number(1e-300), "1e-300");
    EXPECT_EQ(short_number(1e300), "1e+300");
    EXPECT_EQ(short_number(NAN), "–");
    EXPECT_EQ(short_number(INFINITY), "–");
}

TEST(BytesText, IsInMegabytesOrGigabytes) {
    EXPECT_EQ(bytes_text(340'000'000), "340 MB");
    EXPECT_EQ(bytes_text(999'400'000), "999 MB");
    EXPECT_EQ(bytes_text(999'600'000), "1.0 GB");
    EXPECT_EQ(bytes_text(12'340'000'000), "12.3 GB");
}

TEST(Printable, ControlBytesAreShown) {
    EXPECT_EQ(printable("LIT101\tmm\n"), "LIT101\tmm\n");
    EXPECT_EQ(printable("\033[2J\a\r\177"), "\\x1b[2J\\x07\\x0d\\x7f");
    EXPECT_EQ(printable("Übergang → µ"), "Übergang → µ");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J"),
              "\\x9b2J");  // an escape in one character
    EXPECT_EQ(printable("\xc2"), "\xc2");
}

}  // namespace
}  // namespace cmr
