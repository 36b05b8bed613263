#include "report/lines.h"

#include <gmock/gmock.h>

#include <cmath>

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

LineChart by_neighbours() {
    return {.description = "AUROC by k",
            .x_name = "k",
            .y_name = "AUROC",
            .x = ScaleKind::kLog,
            .lines = {{"ours", {1, 10, 100}, {0.9, 0.95, 0.93}, {0.01, 0.02, 0.01}}, {"other", {1, 100}, {0.7, 0.8}}}};
}

TEST(LineChart, DrawsEachLineWithItsPointsAndItsShade) {
    const Html html = draw(by_neighbours());
    expect_clean(html);
    EXPECT_EQ(count(html.text, "class=\"curve hue-0\""), 4u);  // line and legend, in both widths
    EXPECT_EQ(count(html.text, "class=\"curve hue-1\""), 4u);
    EXPECT_EQ(count(html.text, "class=\"dot hue-0\""), 6u);
    EXPECT_EQ(count(html.text, "class=\"shade hue-0\""), 2u);
    EXPECT_EQ(count(html.text, "class=\"shade hue-1\""), 0u);
    EXPECT_THAT(html.text, HasSubstr("ours at 10: 0.95 ± 0.02"));
}

TEST(LineChart, BreaksWhereAValueIsMissing) {
    LineChart chart = by_neighbours();
    chart.lines = {{"gap", {1, 2, 3, 4, 5}, {1, 2, kNan, 3, 4}, {0, 0, 0, 1, kNan}}};
    const Html html = draw(chart);
    expect_clean(html);
    EXPECT_THAT(html.text, ContainsRegex("class=\"curve hue-0\" d=\"M[^M]*M[^M]*\""));
    EXPECT_EQ(count(html.text, "class=\"dot hue-0\""), 8u);
}

TEST(LineChart, KeepsALongCurveShort) {
    LineChart chart{.description = "", .x_name = "", .y_name = "", .square = true, .diagonal = true};
    Line line{"roc", {}, {}};
    for (int i = 0; i <= 200'000; ++i) {
        line.x.push_back(i / 200'000.0);
        line.y.push_back(std::sqrt(i / 200'000.0));
    }
    chart.lines = {line};
    const Html html = draw(chart);
    expect_clean(html);
    EXPECT_LT(html.text.size(), 60'000u);
    EXPECT_THAT(html.text, Not(HasSubstr("class=\"dot")));
    EXPECT_EQ(count(html.text, "class=\"guide\""), 4u);
    // A square: the diagonal rises as far as it goes to the side.
    const std::string line_of_chance = html.text.substr(html.text.rfind("<line", html.text.find("class=\"guide\"/>")));
    const auto place = [&](const std::string& name) {
        return std::stod(line_of_chance.substr(line_of_chance.find(name + "=\"") + name.size() + 2));
    };
    EXPECT_NEAR(place("x2") - place("x1"), place("y1") - place("y2"), 0.02);
    EXPECT_GT(place("x2") - place("x1"), 200);
}

TEST(LineChart, TakesWhateverThereIs) {
    expect_clean(draw(LineChart{}));
    LineChart chart{.description = kHostile, .x_name = kHostile, .y_name = kHostile, .diagonal_name = kHostile};
    chart.diagonal = true;
    chart.lines = {{kHostile, {-1, 0, kInfinity, 3}, {1, kNan, 2, -5}, {kInfinity, kNan, 1, 2}},
                   {"all lost", {1, 2}, {kNan, kNan}, {1, 1}},
                   {"empty", {}, {}},
                   {std::string(300, 'W'), {1e300, -1e300}, {1e300, -1e300}},
                   {"too large", {1, 2}, {1e308, 1}, {1e308, 1}}};
    for (const ScaleKind x : {ScaleKind::kLinear, ScaleKind::kLog, ScaleKind::kElapsed})
        for (const ScaleKind y : {ScaleKind::kLinear, ScaleKind::kLog})
            for (const bool square : {false, true}) {
                chart.x = x;
                chart.y = y;
                chart.square = square;
                expect_clean(draw(chart));
            }
    chart.low = 0;
    chart.high = 1;
    expect_clean(draw(chart));
}

TEST(LineChart, RefusesWhatDoesNotGoTogether) {
    LineChart chart = by_neighbours();
    chart.lines[0].deviation.pop_back();
    expect_input_error([&] { draw(chart); }, {"ours", "2 deviations", "3 values"});
    chart.lines[0].deviation = {0, -1, 0};
    expect_input_error([&] { draw(chart); }, {"ours", "-1"});
    chart.lines[1].x.push_back(5);
    chart.lines[0].deviation.clear();
    expect_input_error([&] { draw(chart); }, {"other", "2 values of y", "3 of x"});
    chart = by_neighbours();
    chart.low = 1;
    chart.high = 0.5;
    expect_input_error([&] { draw(chart); }, {"from 1 to 0.5"});
    chart.low.reset();
    chart.x_low = 5;
    chart.x_high = 5;
    expect_input_error([&] { draw(chart); }, {"x", "from 5 to 5"});
    chart = by_neighbours();
    chart.lines.resize(9);
    expect_input_error([&] { draw(chart); }, {"9 lines", "8"});
}

}  // namespace
}  // namespace cmr::report
