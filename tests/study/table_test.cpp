#include "study/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/small_run.h"

namespace cmr::study {
namespace {

using test::cell_of;
using testing::ElementsAre;
using testing::HasSubstr;

ResultTable hostile() {
    return {.name = "plant-cost",
            .title = "Cost & time of 100 %",
            .note = "a_b",
            .corner = "method, score",
            .columns = {"p | q", "5 \"inch\""},
            .rows = {{"cmr_1", {"0.9 ± 0.1", "a|b"}}, {"{x} $5 #1", {"–", "50 %\n& more"}}}};
}

TEST(ResultTable, InMarkdownKeepsItsColumns) {
    EXPECT_EQ(to_markdown(hostile()),
              "**Cost & time of 100 %**\n\n"
              "| method, score | p \\| q | 5 \"inch\" |\n"
              "|---|---:|---:|\n"
              "| cmr_1 | 0.9 ± 0.1 | a\\|b |\n"
              "| {x} $5 #1 | – | 50 % & more |\n"
              "\na_b\n");
    ResultTable plain = hostile();
    plain.note.clear();
    EXPECT_TRUE(to_markdown(plain).ends_with("more |\n"));
}

TEST(ResultTable, InCsvQuotesWhatNeedsIt) {
    EXPECT_EQ(to_csv(hostile()),
              "\"method, score\",p | q,\"5 \"\"inch\"\"\"\n"
              "cmr_1,0.9 ± 0.1,a|b\n"
              "{x} $5 #1,–,\"50 %\n& more\"\n");
}

TEST(ResultTable, InLatexEscapesWhatHasAMeaning) {
    const std::string latex = to_latex(hostile());
    EXPECT_THAT(latex, HasSubstr("\\caption{Cost \\& time of 100 \\%. a\\_b}"));
    EXPECT_THAT(latex, HasSubstr("\\label{tab:plant-cost}"));
    EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrr}"));
    EXPECT_THAT(latex, HasSubstr("    cmr\\_1 & 0.9 $\\pm$ 0.1 & a|b \\\\\n"));
    EXPECT_THAT(latex, HasSubstr("    \\{x\\} \\$5 \\#1 & -- & 50 \\%\n\\& more \\\\\n"));
    ResultTable greek = hostile();
    greek.rows = {{"γ² × α ≤ Δ ≈", {"\\a~b^c", "x·y ± z ± w"}}};
    EXPECT_THAT(
        to_latex(greek),
        HasSubstr(
            "$\\gamma$$^2$ $\\times$ $\\alpha$ $\\le$ $\\Delta$ $\\approx$ & \\textbackslash{}a\\textasciitilde{}b"
            "\\textasciicircum{}c & x$\\cdot$y $\\pm$ z $\\pm$ w"));
}

TEST(ResultTable, HasWhatWasPublishedBesideOurs) {
    ResultTable table{.name = "leaderboard",
                      .title = "",
                      .note = "Ours.",
                      .corner = "method",
                      .columns = {"zema", "swat", "skab"},
                      .rows = {{"cmr knn", {"0.9", "0.8", "0.7"}}, {"ae knn", {"0.6", "0.5", "0.4"}}}};
    add_published({{"other", "No.", {"zema"}, {{"cmr knn", "1"}}},
                   {"leaderboard", "Table 2.", {"swat", "zema", "pu"}, {{"cmr knn", "0.81", "0.91", "0.99"}}}},
                  table);
    EXPECT_THAT(table.columns, ElementsAre("zema", "zema, published", "swat", "swat, published", "skab"));
    EXPECT_THAT(table.rows[0].cells, ElementsAre("0.9", "0.91", "0.8", "0.81", "0.7"));
    EXPECT_EQ(cell_of(table, "ae knn", "zema"), "0.6");
    EXPECT_EQ(cell_of(table, "ae knn", "zema, published"), "");
    EXPECT_EQ(table.note, "Ours. Table 2.");
}

TEST(ResultTable, KeepsPublishedRowsThatWeHaveNothingOf) {
    ResultTable table{
        .name = "k", .title = "", .note = "", .corner = "k", .columns = {"knn"}, .rows = {{"5", {"0.9"}}}};
    add_published({{"k", "", {"knn"}, {{"5", "0.8"}, {"20", "0.7"}}}, {"k", "", {"residual"}, {{"50", "0.6"}}}}, table);
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[1].name, "20");
    EXPECT_THAT(table.rows[1].cells, ElementsAre("–", "0.7"));
}

TEST(ResultTable, TakesTwoPublishedOnesForDifferentColumns) {
    ResultTable table{
        .name = "k", .title = "", .note = "", .corner = "k", .columns = {"a", "b"}, .rows = {{"5", {"1", "2"}}}};
    add_published({{"k", "", {"a"}, {{"5", "3"}}}, {"k", "", {"b"}, {{"9", "4"}}}}, table);
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_THAT(table.rows[0].cells, ElementsAre("1", "3", "2", ""));
    EXPECT_THAT(table.rows[1].cells, ElementsAre("–", "", "–", "4"));
}

}  // namespace
}  // namespace cmr::study
