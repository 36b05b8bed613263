#include "report/page.h"

#include <gmock/gmock.h>

#include "report/sample_page.h"
#include "report/well_formed.h"

namespace cmr::report {
namespace {

using test::is_well_formed;
using testing::HasSubstr;
using testing::Not;

// From <body> to the script, which is HTML's own business.
std::string body_of(const std::string& html) {
    const size_t begin = html.find("<main>"), end = html.find("</main>") + 7;
    return html.substr(begin, end - begin);
}

TEST(Page, HoldsTheWholeSample) {
    const std::string html = to_html(test::make_sample_page(test::make_sample_plant()));
    EXPECT_TRUE(is_well_formed(body_of(html)));
    EXPECT_THAT(html, HasSubstr("FIT401 stopped following P401 at 14:3"));
    EXPECT_THAT(html, HasSubstr("cmr demo --out demo"));
    EXPECT_LT(html.size(), 600'000u);
}

TEST(Page, RefersToNothingOutsideItself) {
    std::string html = to_html(test::make_sample_page(test::make_sample_plant()));
    const std::string name = "xmlns=\"http://www.w3.org/2000/svg\"";  // a name, which nobody fetches
    for (size_t at = html.find(name); at != std::string::npos; at = html.find(name)) html.erase(at, name.size());
    for (const char* word : {"http:", "https:", "//", "src=", "@import", "url(", "<link rel=\"stylesheet\""})
        EXPECT_THAT(html, Not(HasSubstr(word)));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Page, ShowsHostileTextAsText) {
    const std::string hostile = "</title></style></script><script>alert('1')</script>\" onload=\"x & \xB0";
    Page page{.title = hostile,
              .subtitle = hostile,
              .lead = hostile,
              .lead_tone = Tone::kHealthy,
              .key_numbers = {{hostile, hostile}},
              .sections = {{hostile, {hostile}, {{draw(HtmlTable{{{hostile}}, {{hostile}}}), hostile}}}},
              .facts = {{hostile, hostile}}};
    const std::string html = to_html(page);
    EXPECT_TRUE(is_well_formed(body_of(html)));
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
    EXPECT_EQ(html.find("</title>"), html.rfind("</title>"));
    EXPECT_EQ(html.find("</style>"), html.rfind("</style>"));
    EXPECT_EQ(html.find("</script>"), html.rfind("</script>"));
}

TEST(Page, ListsItsSectionsWhereThereAreMany) {
    Page page;
    for (const char* heading : {"one", "two", "three <b>", "four"})
        page.sections.push_back({heading, {}, {}, {{draw(HtmlTable{{{"a"}}, {{"b"}}}), "All of it"}}});
    const std::string html = to_html(page);
    EXPECT_TRUE(is_well_formed(body_of(html)));
    EXPECT_THAT(html, HasSubstr("<a href=\"#s2\">three &lt;b&gt;</a>"));
    EXPECT_THAT(html, HasSubstr("<section id=\"s2\">"));
    EXPECT_THAT(html, HasSubstr("<summary>All numbers: 1 table</summary>"));
    page.sections.pop_back();
    EXPECT_THAT(to_html(page), Not(HasSubstr("<nav>")));
}

TEST(Page, OfNothingIsAPage) {
    const std::string html = to_html({});
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(is_well_formed(body_of(html)));
    EXPECT_THAT(html, Not(HasSubstr("<footer>")));
}

TEST(Page, IsTheSameForTheSameNumbers) {
    const auto plant = test::make_sample_plant();
    EXPECT_EQ(to_html(test::make_sample_page(plant)), to_html(test::make_sample_page(plant)));
}

}  // namespace
}  // namespace cmr::report
