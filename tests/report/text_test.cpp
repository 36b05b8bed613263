#include "report/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace cmr::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ReportText, MarkupInNamesIsShownAndNotObeyed) {
    EXPECT_EQ(escape("</script><b a=\"1\" c='2'>&amp;"),
              "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
    EXPECT_EQ(escape("Förderstrom °C 温度 🌊"), "Förderstrom °C 温度 🌊");
}

TEST(ReportText, WhatIsNoUtf8OrNoXmlBecomesTheReplacementSign) {
    const std::string sign = "\xEF\xBF\xBD";
    EXPECT_EQ(escape("T [\xB0"
                     "C]"),
              "T [" + sign + "C]");                                                // Latin-1
    EXPECT_EQ(escape("\xC0\xAF"), sign + sign);                                    // overlong
    EXPECT_EQ(escape("\xED\xA0\x80"), sign + sign + sign);                         // half a surrogate pair
    EXPECT_EQ(escape("\xF0\x9F\x8C"), sign + sign + sign);                         // cut off
    EXPECT_EQ(escape(std::string("a\0\x1B\x7F", 4)), "a" + sign + sign + "\x7F");  // controls; DEL is allowed
    EXPECT_EQ(escape("\xEF\xBF\xBE"), sign);                                       // U+FFFE
}

TEST(ReportText, PlacesAreShortAndFinite) {
    EXPECT_EQ(coordinate(12), "12");
    EXPECT_EQ(coordinate(0.1 + 0.2), "0.3");
    EXPECT_EQ(coordinate(-0.001), "0");
    EXPECT_EQ(coordinate(1234.567), "1234.57");
    EXPECT_THROW(coordinate(kNan), InternalError);
    EXPECT_THROW(coordinate(kInfinity), InternalError);
}

TEST(ReportText, NumbersHaveAsManyDigitsAsAsked) {
    EXPECT_EQ(readable(0), "0");
    EXPECT_EQ(readable(3.14159), "3.14");
    EXPECT_EQ(readable(9.996), "10");
    EXPECT_EQ(readable(-0.5),
              "\xE2\x88\x92"
              "0.5");
    EXPECT_EQ(readable(0.0001234), "0.000123");
    EXPECT_EQ(readable(1234), "1234");
    EXPECT_EQ(readable(1234567, 4), "1,235,000");
    EXPECT_EQ(readable(12345.25, 7), "12345.25");
    EXPECT_EQ(readable(1.5e-7), "1.5e-7");
    EXPECT_EQ(readable(2.5e12), "2.5e12");
    EXPECT_EQ(readable(kNan), "–");
    EXPECT_EQ(readable(-kInfinity), "–");
}

TEST(ReportText, NumbersAmongTheirLikeHaveEquallyManyDecimals) {
    EXPECT_EQ(with_decimals(0.9, 3), "0.900");
    EXPECT_EQ(with_decimals(-1.25, 1),
              "\xE2\x88\x92"
              "1.2");
    EXPECT_EQ(with_decimals(0, 2), "0.00");
    EXPECT_EQ(with_decimals(0.42, 0), "0.4");  // not 0, which would be another number
    EXPECT_EQ(with_decimals(0.00037, 3), "0.0004");
    EXPECT_EQ(with_decimals(kNan, 3), "–");
    EXPECT_EQ(with_decimals(1e300, 3), readable(1e300));
    EXPECT_EQ(decimals_for(0.5), 3);
    EXPECT_EQ(decimals_for(1.2), 3);
    EXPECT_EQ(decimals_for(100), 1);
    EXPECT_EQ(decimals_for(1e9), 0);
    EXPECT_EQ(decimals_for(kNan), 3);
}

TEST(ReportText, LongNamesAreCutBetweenCharacters) {
    EXPECT_EQ(shorten("FIT401", 12, 100), "FIT401");
    const std::string cut = shorten("Förderstromüberwachung der Ölpumpe", 12, 80);
    EXPECT_LE(text_width(cut, 12), 80);
    EXPECT_TRUE(cut.ends_with("…"));
    EXPECT_EQ(escape(cut).find("\xEF\xBF\xBD"), std::string::npos);
    EXPECT_EQ(shorten("温度温度", 10, 25), "温…");
}

}  // namespace
}  // namespace cmr::report
