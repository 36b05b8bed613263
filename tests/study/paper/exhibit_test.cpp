#include "study/paper/exhibit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/small_run.h"

namespace cmr::study::paper {
namespace {

using test::cell_of;
using testing::ElementsAre;

Exhibit sample() {
    Exhibit out{.label = "tab:a_b", .what = "Two methods", .note = "", .corner = "method", .columns = {"pu", "k"}};
    out.add("cmr", {number(Spread{0.91239, 0.0051, 3}, "0.9000 ± 0.0100"), words("5")});
    out.add("ae", {number(std::nullopt, "≈ 0.8"), nothing()});
    return out;
}

TEST(Exhibit, HasWhatWasPrintedBesideOurs) {
    const ResultTable t = sample().table();
    EXPECT_EQ(t.name, "tab-a_b");
    EXPECT_EQ(t.title, "tab:a_b: Two methods");
    EXPECT_THAT(t.columns, ElementsAre("pu", "pu, published", "k")) << "of k nothing was printed";
    EXPECT_EQ(cell_of(t, "cmr", "pu"), "0.9124 ± 0.0051");
    EXPECT_EQ(cell_of(t, "cmr", "pu, published"), "0.9000 ± 0.0100");
    EXPECT_EQ(cell_of(t, "ae", "pu"), "no data");
    EXPECT_EQ(cell_of(t, "ae", "pu, published"), "≈ 0.8");
    EXPECT_EQ(cell_of(t, "ae", "k"), "") << "not asked";
}

TEST(Exhibit, CountsWhatIsOurs) {
    EXPECT_EQ(sample().asked(), 3);
    EXPECT_EQ(sample().answered(), 2);
}

TEST(Exhibit, ReadsNumbersAsTheyAreWritten) {
    EXPECT_EQ(printed_number("0.984 ± 0.007"), 0.984);
    EXPECT_EQ(printed_number("≈ 0.40"), 0.40);
    EXPECT_EQ(printed_number("out of memory"), std::nullopt);
    EXPECT_EQ(printed_number(""), std::nullopt);
}

TEST(Exhibit, IsDrawnWhereAnythingIsOurs) {
    Exhibit exhibit = sample();
    EXPECT_TRUE(bars_by_row(exhibit));
    EXPECT_TRUE(bars_by_column(exhibit));
    exhibit.rows.erase(exhibit.rows.begin());
    EXPECT_FALSE(bars_by_row(exhibit));
}

}  // namespace
}  // namespace cmr::study::paper
