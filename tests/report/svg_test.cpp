#include "report/svg.h"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.h"
#include "report/well_formed.h"

namespace cmr::report {
namespace {

using test::is_well_formed;
using testing::HasSubstr;
using testing::Not;

TEST(Svg, IsWellFormedWhateverThingsAreCalled) {
    for (const std::string name : {"plain", "</script><script>alert(1)</script>", "\" onload=\"alert(1)",
                                   "a & b < c > d", "]]>", "<!--", "T [\xB0 C]", "温度 🌊", "\x01\x02", "' or '"}) {
        Svg svg(100, 50, "chart", name, {{"data-name", name}});
        svg.open("g", {{"class", name}});
        svg.write({1, 2}, name, {{"class", "x"}}, name);
        svg.write_heading({1, 2}, name, "x", name, name);
        svg.rectangle({0, 0}, 1, 1, "x", name);
        const std::string text = svg.finish();
        EXPECT_TRUE(is_well_formed(text));
        EXPECT_THAT(text, Not(HasSubstr("<script")));
        EXPECT_THAT(text, Not(HasSubstr("onload=\"")));
    }
}

TEST(Svg, ClosesWhatIsOpen) {
    Svg svg(10, 10, "chart", "");
    svg.open("g");
    svg.open("g");
    svg.close();
    svg.line({0, 0}, {1, 1}, "x");
    const std::string text = svg.finish();
    EXPECT_TRUE(is_well_formed(text));
    EXPECT_TRUE(text.ends_with("</g>\n</svg>\n"));
}

TEST(Svg, NeverHoldsNan) {
    Svg svg(10, 10, "chart", "");
    EXPECT_THROW(svg.line({0, 0}, {std::numeric_limits<double>::quiet_NaN(), 1}, "x"), InternalError);
}

}  // namespace
}  // namespace cmr::report
