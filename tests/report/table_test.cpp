#include "report/table.h"

#include <gmock/gmock.h>

#include "report/clean.h"
#include "support/expect_input_error.h"

namespace cmr::report {
namespace {

using test::expect_clean;
using test::expect_input_error;
using test::kHostile;
using testing::HasSubstr;

TEST(Table, PutsNumbersToTheRightAndEscapesCells) {
    const Html html =
        draw(HtmlTable{{{"channel"}, {"delay", true}}, {{kHostile, {"12 s", Tone::kHealthy}}, {"short"}}});
    expect_clean(html);
    EXPECT_THAT(html.text, HasSubstr("<td class=\"number healthy\">12 s</td>"));
    EXPECT_THAT(html.text, HasSubstr("<td class=\"text\">short</td><td class=\"number\"></td>"));
    expect_input_error([] { draw(HtmlTable{{{"one"}}, {{"1", "2"}}}); }, {"2 cells", "1 headings"});
}

}  // namespace
}  // namespace cmr::report
