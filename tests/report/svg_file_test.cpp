#include "report/svg_file.h"

#include <gmock/gmock.h>

#include "report/bars.h"
#include "report/table.h"
#include "report/well_formed.h"

namespace cmr::report {
namespace {

using test::is_well_formed;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(SvgFile, IsAWholeDrawingWithItsStyle) {
    const BarChart chart{
        .description = "a > b & \"c\"", .axis = "AUROC", .groups = {{"", {{.name = "<ours>", .value = 0.9}}}}};
    const auto file = svg_file(draw(chart));
    ASSERT_TRUE(file);
    EXPECT_THAT(*file, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_TRUE(is_well_formed(*file));
    EXPECT_THAT(*file, HasSubstr("viewBox=\"-14 -14 1024 ")) << "with room at the sides";
    EXPECT_THAT(*file, HasSubstr("&lt;ours&gt;"));
    EXPECT_THAT(*file, HasSubstr(".bar { fill: var(--bar); }"));
    EXPECT_THAT(*file, Not(HasSubstr("chart narrow")));
}

TEST(SvgFile, IsNoneOfATable) { EXPECT_FALSE(svg_file(draw(HtmlTable{{{"a"}}, {{"b"}}}))); }

}  // namespace
}  // namespace cmr::report
