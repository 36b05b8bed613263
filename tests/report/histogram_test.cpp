#include "report/histogram.h"

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
using testing::HasSubstr;

// The heights of the steps of the first outline of a class, above its base.
std::vector<double> steps(const std::string& html, const std::string& colour) {
    const std::string begin = "class=\"outline " + colour + "\" d=\"";
    const size_t at = html.find(begin) + begin.size();
    std::string data = html.substr(at, html.find('"', at) - at);
    const double base = std::stod(data.substr(data.find(' ')));
    std::vector<double> heights;
    for (size_t v = data.find('V'); v != std::string::npos; v = data.find('V', v + 1))
        heights.push_back(base - std::stod(data.substr(v + 1)));
    return heights;
}

TEST(Histogram, ShowsSharesOfEachClassWhateverItsSize) {
    Histogram histogram{.description = "", .low = 0, .high = 4, .bins = 4, .alarm_line = 2};
    histogram.classes = {{"healthy", std::vector<double>(900, 0.5), true}, {"worn", {2.5, 3.5, 3.6, 3.7}}};
    histogram.classes[0].values.insert(histogram.classes[0].values.end(), 100, 1.5);
    const Html html = draw(histogram);
    expect_clean(html);
    const auto healthy = steps(html.text, "hue-healthy"), worn = steps(html.text, "hue-1");
    ASSERT_EQ(healthy.size(), 3u);  // two bins and down
    ASSERT_EQ(worn.size(), 3u);
    EXPECT_NEAR(healthy[0] / worn[1], 0.9 / 0.75, 0.01);
    EXPECT_NEAR(worn[1], 3 * worn[0], 0.05);
    EXPECT_EQ(healthy[2], 0);
    EXPECT_THAT(html.text, HasSubstr(">1,000 · 0 % alarms<"));
    EXPECT_THAT(html.text, HasSubstr(">4 · 100 % alarms<"));
    EXPECT_EQ(count(html.text, "class=\"alarm-line\""), 4u);  // and the legend, in both widths
}

TEST(Histogram, CountsWhatLiesBeyondAtTheEnds) {
    Histogram histogram{.description = "", .x = ScaleKind::kLog, .low = 1, .high = 10'000, .bins = 4};
    histogram.classes = {{"all", {-5, 0, 2, kNan, 5000, 1e9, kInfinity, -kInfinity}}};
    const Html html = draw(histogram);
    expect_clean(html);
    EXPECT_THAT(html.text, HasSubstr("<title>all: 7</title>"));  // without NaN
    const auto heights = steps(html.text, "hue-1");
    ASSERT_EQ(heights.size(), 4u);  // the first bin and down, the last and down
    EXPECT_NEAR(heights[0] / heights[2], 4.0 / 3.0, 0.01);
}

TEST(Histogram, TakesWhateverThereIs) {
    expect_clean(draw(Histogram{}));
    for (const ScaleKind x : {ScaleKind::kLinear, ScaleKind::kLog}) {
        Histogram histogram{.description = kHostile, .x_name = kHostile, .x = x, .alarm_line = kNan};
        histogram.classes = {{kHostile, {}, true}, {kHostile, {kNan, kNan}}, {"same", {3, 3, 3}}, {"negative", {-1}}};
        expect_clean(draw(histogram));
        histogram.alarm_line = -2;
        histogram.classes = {{"negative", {-1, -2}}, {std::string(300, 'W'), {kInfinity}}};
        expect_clean(draw(histogram));
        histogram.classes = {{"wide", {-1e300, 1e300, 1e-300}}};
        expect_clean(draw(histogram));
    }
}

TEST(Histogram, RefusesWhatDoesNotGoTogether) {
    Histogram histogram{.description = "", .bins = 1};
    expect_input_error([&] { draw(histogram); }, {"1 bins", "2"});
    histogram.bins = 10;
    histogram.low = 3;
    histogram.high = 2;
    expect_input_error([&] { draw(histogram); }, {"from 3 to 2"});
    histogram.high.reset();
    histogram.classes.resize(9);
    expect_input_error([&] { draw(histogram); }, {"9 faults", "8"});
    histogram.classes[0].healthy = true;
    expect_clean(draw(histogram));
}

}  // namespace
}  // namespace cmr::report
