#include "report/grid.h"

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
using testing::Not;

Grid two_by_three() {
    Grid grid{.description = "AUROC",
              .scale_name = "AUROC",
              .row_axis = "pooling",
              .column_axis = "k",
              .rows = {"mean", "last"},
              .columns = {"1", "5", "10"},
              .values = Matrix(2, 3)};
    grid.values.values = {0.5f, 0.75f, 0.9f, 0.6f, 1.0f, 0.55f};
    return grid;
}

TEST(Grid, WritesEveryNumberAndFramesTheBest) {
    Grid grid = two_by_three();
    Html html = draw(grid);
    expect_clean(html);
    EXPECT_EQ(count(html.text, "class=\"cell-text"), 12u);                    // in both widths
    EXPECT_EQ(count(html.text, "class=\"cell-text on-strong strong\""), 2u);  // readable on the strongest colour
    EXPECT_EQ(count(html.text, "class=\"best\""), 4u);                        // the cell and the legend
    EXPECT_THAT(html.text, HasSubstr("last, 5: 1.000"));
    grid.best = BestCell::kNone;
    EXPECT_THAT(draw(grid).text, Not(HasSubstr("class=\"best\"")));
    grid.best = BestCell::kLowest;
    grid.decimals = 0;  // as written 0.6, 0.75, 0.9, 0.55 and 1.0 are 1 and only 0.5 is 0
    html = draw(grid);
    EXPECT_EQ(count(html.text, "class=\"best\""), 4u);
    EXPECT_THAT(html.text, HasSubstr(">lowest<"));
}

TEST(Grid, ColoursFromTheLowestToTheHighest) {
    Grid grid = two_by_three();
    const std::string own = draw(grid).text;
    EXPECT_EQ(count(own, "class=\"cell-0\""), 2u * 3);  // 0.5 and 0.55, and the legend
    EXPECT_EQ(count(own, "class=\"cell-8\""), 2u * 2);
    grid.low = 0;
    grid.high = 10;  // none is high on this scale
    const std::string given = draw(grid).text;
    EXPECT_EQ(count(given, "class=\"cell-0\""), 2u * 7);
    EXPECT_EQ(count(given, "class=\"cell-8\""), 2u);
    EXPECT_THAT(given, Not(HasSubstr("on-strong")));
}

TEST(Grid, PutsColumnsBelowWhereTheyDoNotFitBeside) {
    Grid grid{.description = "",
              .scale_name = "",
              .row_axis = "",
              .column_axis = "",
              .rows = {"only"},
              .columns = std::vector<std::string>(30, "k"),
              .values = Matrix(1, 30)};
    const Html html = draw(grid);
    expect_clean(html);
    EXPECT_EQ(count(html.text, "class=\"cell-text"), 60u);
    EXPECT_GE(count(html.text, ">only<"), 2u + 5u);  // once per block: two on a desk, five or more on a phone
}

TEST(Grid, TakesWhateverThereIs) {
    expect_clean(draw(Grid{}));
    Grid grid = two_by_three();
    grid.description = grid.scale_name = grid.row_axis = grid.column_axis = grid.rows[0] = grid.columns[0] = kHostile;
    grid.values.values = {kNan, kInfinity, -kInfinity, 1e38f, -1e38f, 0};
    const Html html = draw(grid);
    expect_clean(html);
    EXPECT_EQ(count(html.text, ">–<"), 6u);
    EXPECT_EQ(count(html.text, "class=\"absent\""), 8u);
    grid.values.values.assign(6, kNan);
    expect_clean(draw(grid));
    EXPECT_THAT(draw(grid).text, Not(HasSubstr("class=\"best\"")));
    grid.values.values.assign(6, 0.5f);
    expect_clean(draw(grid));
}

TEST(Grid, RefusesWhatDoesNotGoTogether) {
    Grid grid = two_by_three();
    grid.rows.pop_back();
    expect_input_error([&] { draw(grid); }, {"1 × 3", "2 × 3"});
    grid = two_by_three();
    grid.values.values.pop_back();
    expect_input_error([&] { draw(grid); }, {"5 values", "2 × 3"});
    grid = two_by_three();
    grid.decimals = 10;
    expect_input_error([&] { draw(grid); }, {"10 decimals"});
    grid = two_by_three();
    grid.low = grid.high = 1;
    expect_input_error([&] { draw(grid); }, {"grid", "from 1 to 1"});
}

}  // namespace
}  // namespace cmr::report
