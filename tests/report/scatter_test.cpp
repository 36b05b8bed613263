#include "report/scatter.h"

#include <gmock/gmock.h>

#include "base/rng.h"
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

// Marks of all paths of a class that are not samples of the legend.
size_t marks(const std::string& html, const std::string& css_class) {
    size_t found = 0;
    const std::string begin = "<path class=\"" + css_class + "\" d=\"";
    for (size_t at = html.find(begin); at != std::string::npos; at = html.find(begin, at + 1))
        found += count(html.substr(at, html.find("\">", at + begin.size()) - at), "M");
    return found;
}

TEST(Scatter, HasOneMarkPerPointAndOnePathPerClass) {
    Scatter scatter{.description = "", .x_name = "", .y_name = ""};
    scatter.classes = {
        {"healthy", {0, 1, 2, kNan, 3}, {0, 1, 2, 3, kInfinity}, true}, {"worn", {5, 6}, {1, 1}}, {"broken", {5}, {2}}};
    const Html html = draw(scatter);
    expect_clean(html);
    EXPECT_EQ(marks(html.text, "points round hue-healthy"), 6u);  // in both widths
    EXPECT_EQ(marks(html.text, "points hue-1"), 4u);
    EXPECT_EQ(marks(html.text, "points hue-2"), 2u);
    EXPECT_EQ(count(html.text, "<path"), 12u);  // and the samples of the legend
    // NaN and infinity are not counted.
    EXPECT_THAT(html.text, ContainsRegex(">healthy</tspan><tspan class=\"note\"[^>]*>3<"));
}

TEST(Scatter, StaysSmallWithThousandsOfPoints) {
    Scatter scatter{.description = "", .x_name = "", .y_name = ""};
    Rng rng(1);
    for (size_t c = 0; c < 6; ++c) {
        PointClass one{"class", {}, {}, c == 0};
        for (int i = 0; i < 500; ++i) {
            one.x.push_back(rng.normal());
            one.y.push_back(rng.normal());
        }
        scatter.classes.push_back(one);
    }
    EXPECT_LT(draw(scatter).text.size(), 180'000u);
    // The same place twice is one mark.
    scatter.classes.resize(1);
    scatter.classes[0].x.assign(100'000, 1);
    scatter.classes[0].y.assign(100'000, 1);
    const Html html = draw(scatter);
    EXPECT_EQ(marks(html.text, "points round hue-healthy"), 2u);
    EXPECT_THAT(html.text, HasSubstr(">100,000<"));
}

TEST(Scatter, TakesWhateverThereIs) {
    expect_clean(draw(Scatter{}));
    Scatter scatter{.description = kHostile, .x_name = kHostile, .y_name = kHostile};
    for (int i = 0; i < 8; ++i) scatter.classes.push_back({kHostile, {-1, 0, 1e300, kNan}, {1, -1e300, 0, 3}});
    scatter.classes.push_back({"empty", {}, {}, true});
    for (const ScaleKind x : {ScaleKind::kLinear, ScaleKind::kLog})
        for (const ScaleKind y : {ScaleKind::kLinear, ScaleKind::kLog}) {
            scatter.x = x;
            scatter.y = y;
            expect_clean(draw(scatter));
        }
}

TEST(Scatter, RefusesWhatDoesNotGoTogether) {
    Scatter scatter{.description = "", .x_name = "", .y_name = ""};
    scatter.classes = {{"worn", {1, 2}, {1}}};
    expect_input_error([&] { draw(scatter); }, {"worn", "1 values of y", "2 of x"});
    scatter.classes.assign(9, {"fault", {}, {}});
    expect_input_error([&] { draw(scatter); }, {"9 faults", "8"});
}

}  // namespace
}  // namespace cmr::report
