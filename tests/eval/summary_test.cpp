#include "eval/summary.h"

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::Values;

TEST(Summary, IsMeanAndSampleDeviation) {
    const Summary summary = summarise(Values{2, 4, 9});
    EXPECT_EQ(summary.count, 3);
    EXPECT_EQ(summary.mean, 5);
    EXPECT_DOUBLE_EQ(*summary.deviation, std::sqrt(13.0));  // (9 + 1 + 16) / 2
}

TEST(Summary, OfAPopulationDividesByTheCount) {
    EXPECT_DOUBLE_EQ(*summarise(Values{2, 4, 9}).population_deviation(), std::sqrt(26.0 / 3));
    EXPECT_FALSE(summarise(Values{7}).population_deviation());
}

TEST(Summary, OfOneValueHasNoDeviation) {
    EXPECT_EQ(summarise(Values{7}).mean, 7);
    EXPECT_FALSE(summarise(Values{7}).deviation);
}

TEST(Summary, KeepsItsDigitsFarFromZero) {
    EXPECT_DOUBLE_EQ(*summarise(Values{1e9 + 1, 1e9 + 2, 1e9 + 3}).deviation, 1);
}

TEST(Median, IsTheMiddleOneOrBetweenTheMiddleTwo) {
    EXPECT_EQ(median({9, 1, 4}), 4);
    EXPECT_EQ(median({9, 1, 4, 5}), 4.5);
    EXPECT_EQ(median({7}), 7);
}

TEST(Quantile, IsOnTheLineBetweenTwoPlaces) {
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2, 5}, 0.95), 4.8);  // place 3.8
    EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.25), 12.5);
    EXPECT_EQ(quantile({3, 1, 2}, 0), 1);
    EXPECT_EQ(quantile({3, 1, 2}, 1), 3);
}

TEST(Quantile, SaysWhatIsWrong) {
    test::expect_input_error([] { median({}); }, {"no values"});
    test::expect_input_error([] { median({1, test::kNan}); }, {"NaN"});
    test::expect_input_error([] { quantile({1}, 1.5); }, {"quantile at 1.5"});
}

TEST(Summary, SaysWhatIsWrong) {
    test::expect_input_error([] { summarise(Values{}); }, {"no values"});
    test::expect_input_error([] { summarise(Values{1, test::kNan}); }, {"value 2 of 2 is NaN"});
    test::expect_input_error([] { summarise(Values{-test::kInfinity}); }, {"-inf", "finite"});
}

}  // namespace
}  // namespace cmr::eval
