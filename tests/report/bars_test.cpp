#include "report/bars.h"

#include <gmock/gmock.h>

#include "report/clean.h"
#include "support/expect_input_error.h"

namespace cmr::report {
namespace {

using test::count;
using test::expect_clean;
using test::expect_input_error;
using test::kHostile;
using test::kInfinity;
using test::kNan;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

BarChart leaderboard() {
    return {.description = "AUROC of three methods",
            .axis = "AUROC",
            .low = 0.4,
            .high = 1,
            .line = 0.5,
            .line_name = "chance",
            .groups = {{"PU",
                        {{"CMR", 0.943, 0.012, std::nullopt, true},
                         {"Deep SVDD", 0.871, 0.03, 0.9},
                         {"AE", 0.5, std::nullopt, std::nullopt, false, "one seed"}}}}};
}

TEST(BarChart, DrawsEachNumberWithItsDeviationAndItsReference) {
    const Html html = draw(leaderboard());
    expect_clean(html);
    EXPECT_EQ(count(html.text, "class=\"bar\""), 4u);  // in both widths
    EXPECT_EQ(count(html.text, "class=\"bar strong\""), 2u);
    EXPECT_EQ(count(html.text, "class=\"whisker\""), 4u);
    EXPECT_EQ(count(html.text, "class=\"reference\""), 4u);  // and the legend
    EXPECT_EQ(count(html.text, "class=\"guide\""), 4u);
    EXPECT_THAT(html.text, HasSubstr("PU, CMR: 0.943 ± 0.012"));
    EXPECT_THAT(html.text, HasSubstr("PU, Deep SVDD: 0.871 ± 0.030; published 0.900"));
    EXPECT_EQ(count(html.text, ">one seed<"), 2u);
}

TEST(BarChart, WritesSoManyDecimals) {
    BarChart chart = leaderboard();
    chart.decimals = 2;
    EXPECT_THAT(draw(chart).text, HasSubstr("PU, CMR: 0.94 ± 0.01"));
}

TEST(BarChart, HasNoLegendWithoutReferences) {
    BarChart chart = leaderboard();
    chart.line_name.clear();
    chart.groups[0].bars[1].reference.reset();
    const Html html = draw(chart);
    EXPECT_THAT(html.text, Not(HasSubstr("published")));
    EXPECT_THAT(html.text, Not(HasSubstr("legend-name")));
}

TEST(BarChart, BeginsAtZeroUnlessTold) {
    BarChart chart{.description = "", .axis = "", .groups = {{"", {{"a", -2}, {"b", 4}}}}};
    const Html html = draw(chart);
    expect_clean(html);
    // Away from zero on both sides, one twice as long as the other.
    std::vector<double> widths;
    for (size_t at = html.text.find("<rect"); at != std::string::npos; at = html.text.find("<rect", at + 1)) {
        const size_t width = html.text.find("width=\"", at) + 7;
        widths.push_back(std::stod(html.text.substr(width)));
    }
    ASSERT_EQ(widths.size(), 4u);
    EXPECT_NEAR(widths[1], 2 * widths[0], 0.02);
}

TEST(BarChart, TakesWhateverThereIs) {
    expect_clean(draw(BarChart{}));
    BarChart chart{.description = kHostile, .axis = kHostile, .line_name = kHostile, .reference_name = kHostile};
    chart.line = kNan;
    chart.groups = {{kHostile, {}},
                    {kHostile,
                     {{kHostile, kNan, 1, 1, true, kHostile},
                      {kHostile, kInfinity, kInfinity, kInfinity},
                      {kHostile, 3, kNan, kNan},
                      {std::string(500, 'W'), 1e300, 0, -5, false, std::string(500, 'W')}}}};
    expect_clean(draw(chart));
    chart.low = 100;  // beyond most of them
    chart.line = 3;
    expect_clean(draw(chart));
}

TEST(BarChart, MarksWhatIsAbsentWithADash) {
    BarChart chart = leaderboard();
    chart.groups[0].bars[0].value = kNan;
    const Html html = draw(chart);
    EXPECT_EQ(count(html.text, "class=\"bar strong\""), 0u);
    EXPECT_EQ(count(html.text, ">–<"), 2u);
    EXPECT_THAT(html.text, Not(ContainsRegex("– ± ")));
}

TEST(BarChart, RefusesWhatDoesNotGoTogether) {
    BarChart chart = leaderboard();
    chart.low = 1;
    expect_input_error([&] { draw(chart); }, {"from 1 to 1", "rise"});
    chart.low = kNan;
    expect_input_error([&] { draw(chart); }, {"bars", "begins at nan"});
    chart = leaderboard();
    chart.groups[0].bars[1].deviation = -0.1;
    expect_input_error([&] { draw(chart); }, {"Deep SVDD", "-0.1"});
    chart = leaderboard();
    chart.decimals = -1;
    expect_input_error([&] { draw(chart); }, {"-1 decimals"});
}

}  // namespace
}  // namespace cmr::report
