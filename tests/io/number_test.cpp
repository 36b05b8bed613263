#include "io/text/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/rng.h"

namespace cmr::io {
namespace {

// As a table reads it: the quick way where it dares, else the careful one.
std::optional<double> parse_as_table(const std::string& text, char point = '.') {
    const std::string padded = text + std::string(kQuickNumberReach, '7');
    double value = 0;
    if (quick_number(padded.data(), padded.data() + text.size(), point, value)) return value;
    return parse_number(text, point);
}

void expect_exact(const std::string& text) {
    const double wanted = std::strtod(text.c_str(), nullptr);
    for (const auto& got : {parse_number(text), parse_as_table(text)}) {
        ASSERT_TRUE(got) << text;
        ASSERT_EQ(std::bit_cast<uint64_t>(*got), std::bit_cast<uint64_t>(wanted)) << text;
    }
}

TEST(Number, AnyDoubleSurvivesBeingPrintedAndRead) {
    Rng rng(1);
    for (int i = 0; i < 20'000; ++i) {
        const double value = std::bit_cast<double>(rng.next());  // denormals among them
        if (!std::isfinite(value)) continue;
        for (const std::string& text : {fmt::format("{}", value), fmt::format("{:.17g}", value),
                                        fmt::format("{:.20E}", value), fmt::format("{:.25e}", value)})
            ASSERT_EQ(parse_number(text), value) << text;
    }
}

TEST(Number, EveryFormatIsRoundedCorrectly) {
    Rng rng(2);
    for (int i = 0; i < 20'000; ++i) {
        const double value = rng.normal() * std::pow(10.0, static_cast<double>(rng.below(12)) - 4);
        for (int digits = 0; digits < 20; ++digits) expect_exact(fmt::format("{:.{}f}", value, digits));
        expect_exact(fmt::format("{:.7e}", value));
        expect_exact(fmt::format("{:g}", value));
    }
}

TEST(Number, ThePointMayStandAnywhere) {
    const std::string digits = "12345678901234567890";
    for (size_t length = 1; length <= digits.size(); ++length)
        for (size_t point = 0; point <= length; ++point)
            for (const char* sign : {"", "-"})
                expect_exact(sign + digits.substr(0, point) + "." + digits.substr(point, length - point));
}

TEST(Number, TheNumberBeforeDoesNotMatter) {
    const std::vector<std::string> texts = {"151.4700", "99.1234",     "-151.4700", "7",        "-7",      "1234567",
                                            "12345678", "1.5",         "15.",       ".15",      "0.5",     "151.47x0",
                                            "1x1",      "x",           "1.2.3",     "-",        "",        "1e5",
                                            "151:4700", "123456789.5", "/51.4700",  "151.470/", "151..700"};
    for (const std::string& before : texts)
        for (const std::string& text : texts) {
            QuickNumbers quick('.');
            double value = 0;
            for (const std::string& each : {before, text}) {
                const std::string padded = each + std::string(kQuickNumberReach, '.');
                const bool taken = quick.read(padded.data(), padded.data() + each.size(), value);
                ASSERT_TRUE(!taken || parse_number(each) == value) << before << " then " << each;
            }
        }
}

TEST(Number, TooLargeIsInfiniteAndTooSmallIsZero) {
    EXPECT_EQ(parse_number("1e400"), INFINITY);
    EXPECT_EQ(parse_number("-1e99999999999999999999"), -INFINITY);
    EXPECT_EQ(parse_number("1e-400"), 0.0);
    EXPECT_EQ(parse_number("0e999999"), 0.0);
    EXPECT_EQ(parse_number(std::string(400, '9')), INFINITY);
    EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
    EXPECT_EQ(parse_number("5e-324"), 5e-324);
}

TEST(Number, SignsAndDecimalCommasAreUnderstood) {
    EXPECT_EQ(parse_as_table("+1.5"), 1.5);
    EXPECT_EQ(parse_as_table("-1,5", ','), -1.5);
    EXPECT_EQ(parse_as_table("1,123456789012345678901", ','), 1.123456789012345678901);
    EXPECT_TRUE(std::signbit(*parse_as_table("-0")));
}

TEST(Number, OtherTextIsNoNumber) {
    for (const char* text : {"",
                             ".",
                             "-",
                             "+-1",
                             "--1",
                             "1.2.3",
                             "1e",
                             "1e+",
                             "e5",
                             "1.0D+03",
                             "0x10",
                             "1 2",
                             "1,5",
                             "1:2",
                             "1/2",
                             "1_0",
                             "12a",
                             "a12",
                             "1234567a",
                             "a2345678",
                             "1.5.",
                             "NaN",
                             "inf",
                             "-.",
                             "1-",
                             "1e5.0",
                             "1234.5678.9",
                             "123456789a",
                             "12345678.9012.3",
                             "\xc2\xb5",
                             "½"})
        EXPECT_EQ(parse_as_table(text), std::nullopt) << text;
    EXPECT_EQ(parse_as_table("1.5", ','), std::nullopt);
}

TEST(Number, NotANumberAndInfinityHaveAnyCase) {
    for (const char* text : {"nan", "NaN", "NAN", "-nan"}) EXPECT_TRUE(std::isnan(*parse_not_finite(text))) << text;
    for (const char* text : {"inf", "Inf", "+INF", "infinity"}) EXPECT_EQ(parse_not_finite(text), INFINITY) << text;
    EXPECT_EQ(parse_not_finite("-Infinity"), -INFINITY);
    for (const char* text : {"", "na", "n/a", "nano", "in", "info"}) EXPECT_FALSE(parse_not_finite(text)) << text;
}

}  // namespace
}  // namespace cmr::io
