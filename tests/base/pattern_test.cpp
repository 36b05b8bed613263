#include "base/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_input_error.h"

namespace cmr {
namespace {

using testing::Optional;

TEST(Matches, AStarIsAnyRunOfLetters) {
    EXPECT_TRUE(matches("run.Y[vibration_1].Data", "*.Y[vibration_1].Data"));
    EXPECT_TRUE(matches("abc", "*"));
    EXPECT_TRUE(matches("", "*"));
    EXPECT_TRUE(matches("abc", "abc"));
    EXPECT_TRUE(matches("abcbc", "a*bc"));
    EXPECT_TRUE(matches("a/b/c", "a*c")) << "in a text a slash is a letter";
    EXPECT_TRUE(matches("flow {main}", "flow {*")) << "and so is a brace";
    EXPECT_FALSE(matches("abc", "ab"));
    EXPECT_FALSE(matches("ab", "abc"));
    EXPECT_FALSE(matches("abcd", "a*bc"));
    EXPECT_FALSE(matches("", "a"));
}

TEST(Matches, ManyStarsInALongTextDoNotTakeForever) {
    std::string pattern;
    for (int i = 0; i < 60; ++i) pattern += "a*";
    const std::string text(20'000, 'a');
    EXPECT_TRUE(matches(text, pattern));
    EXPECT_FALSE(matches(text, pattern + "b"));
}

TEST(PathPattern, AWordTakesAsMuchAsItCan) {
    EXPECT_THAT(PathPattern("{a}_{b}.csv").match("x_y_z.csv"), Optional(Captures{{"a", "x_y"}, {"b", "z"}}));
    EXPECT_THAT(PathPattern("d{fault}_te.dat").match("d01_te.dat"), Optional(Captures{{"fault", "01"}}));
    EXPECT_EQ(PathPattern("d{fault}_te.dat").match("d_te.dat"), std::nullopt) << "but at least one letter";
}

TEST(PathPattern, AWordGivesBackWhatItsSecondPlaceNeeds) {
    const PathPattern twice("{a}-{b}-{a}");
    EXPECT_THAT(twice.match("x-y-z-x"), Optional(Captures{{"a", "x"}, {"b", "y-z"}}));
    EXPECT_THAT(twice.match("x-y-z-x-y"), Optional(Captures{{"a", "x-y"}, {"b", "z"}}));
    EXPECT_EQ(twice.match("x-y-z"), std::nullopt);
    EXPECT_THAT(PathPattern("*{a}*{a}c").match("xababc"), Optional(Captures{{"a", "ab"}}));
}

TEST(PathPattern, NothingStandsForASlash) {
    EXPECT_TRUE(PathPattern("a*/x.csv").match("ab/x.csv"));
    EXPECT_FALSE(PathPattern("a*x.csv").match("ab/x.csv"));
    EXPECT_FALSE(PathPattern("{a}.csv").match("b/x.csv"));
    EXPECT_FALSE(PathPattern("*").match("b/x.csv"));
}

TEST(PathPattern, ABraceNeedsAWordAndItsOther) {
    for (const char* pattern : {"a{", "a{}", "a{unit"})
        test::expect_input_error([&] { PathPattern{pattern}; }, {std::string("'") + pattern + "'"});
    EXPECT_TRUE(PathPattern("a}").match("a}"));
}

}  // namespace
}  // namespace cmr
