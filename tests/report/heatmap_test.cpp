#include "report/heatmap.h"

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

HeatMap heat_map(const std::vector<double>& times, const Matrix& values) {
    HeatMap map;
    map.times = times;
    map.x = ScaleKind::kElapsed;
    map.values = values;
    for (int64_t c = 0; c < values.columns; ++c) map.rows.push_back("channel " + std::to_string(c));
    return map;
}

TEST(HeatMap, KeepsTheGreatestResidualAndTellsAbsentFromSmall) {
    std::vector<double> times;
    for (int i = 0; i < 10'000; ++i) times.push_back(i);
    Matrix values(10'000, 2);
    HeatMap map = heat_map(times, values);
    map.values = values;
    Html html = draw(map);
    expect_clean(html);
    EXPECT_THAT(html.text, Not(HasSubstr("<path")));  // all is ground
    values.row(5000)[1] = -13;
    for (int i = 2000; i < 3000; ++i) values.row(i)[0] = kNan;
    html = draw(map);
    EXPECT_EQ(count(html.text, "<path class=\"heat-6\""), 2u);
    EXPECT_EQ(count(html.text, "<path class=\"absent\""), 2u);
    EXPECT_THAT(html.text, ContainsRegex("data-name=\"channel 1\"[^>]* 13 "));
}

TEST(HeatMap, ShowsTheRowsInTheOrderOfTheCaller) {
    const std::vector<double> times{0, 1};
    Matrix values(2, 3);
    values.row(0)[2] = 5;
    HeatMap map = heat_map(times, values);
    map.rows = {"third", "first"};
    map.order = {2, 0};
    const Html html = draw(map);
    expect_clean(html);
    EXPECT_THAT(html.text, ContainsRegex("data-name=\"third\"[^>]*data-values=\"5 "));
    EXPECT_THAT(html.text, ContainsRegex("data-name=\"first\"[^>]*data-values=\"0 "));
}

TEST(HeatMap, TakesWhateverThereIs) {
    expect_clean(draw(HeatMap{}));
    const std::vector<double> times{0, 1};
    Matrix values(2, 200);
    values.values.assign(400, kInfinity);
    HeatMap map = heat_map(times, values);
    map.values = values;
    map.rows[0] = map.scale_name = map.description = kHostile;
    map.marks = {{0, 0, 1}, {-1, 0, 1}, {5000, 0, 1}, {3, 8, 9}};
    expect_clean(draw(map));
}

TEST(HeatMap, RefusesWhatDoesNotGoTogether) {
    const std::vector<double> times{0, 1};
    const Matrix values(2, 3);
    HeatMap map = heat_map(times, values);
    map.rows.pop_back();
    expect_input_error([&] { draw(map); }, {"2 names", "3 channels"});
    map.order = {0, 3};
    expect_input_error([&] { draw(map); }, {"channel 3", "3 channels"});
    map.order = {0, 1};
    map.levels = {2, 1};
    expect_input_error([&] { draw(map); }, {"levels", "rise"});
}

}  // namespace
}  // namespace cmr::report
