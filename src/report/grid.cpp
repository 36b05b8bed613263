#include "report/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "report/frame.h"
#include "report/scale.h"

namespace cmr::report {
namespace {

constexpr int kColours = 9, kFirstStrong = 5;  // from here on the text has the colour of paper
constexpr double kCellHeight = 27, kHeaderHeight = 22, kBlockGap = 14;
constexpr double kLegendHeight = 54, kSwatch = 20;

void check(const Grid& grid) {
    check_ends("grid", grid.low, grid.high);
    if (std::ssize(grid.rows) != grid.values.rows || std::ssize(grid.columns) != grid.values.columns)
        throw InputError("grid: names for {} × {} cells, but values for {} × {}", grid.rows.size(), grid.columns.size(),
                         grid.values.rows, grid.values.columns);
    if (grid.values.values.size() != grid.rows.size() * grid.columns.size())
        throw InputError("grid: {} values for {} × {} cells", grid.values.values.size(), grid.rows.size(),
                         grid.columns.size());
    if (grid.decimals < 0 || grid.decimals > 9)
        throw InputError("grid: {} decimals, 0 to 9 are possible", grid.decimals);
}

double value_of(const Grid& grid, size_t row, size_t column) {
    return static_cast<double>(grid.values.values[row * grid.columns.size() + column]);
}

struct Colours {
    double low = 0, high = 1;

    int at(double value) const {
        if (high <= low) return kColours / 2;
        const double share = (value - low) / (high - low);
        return static_cast<int>(std::clamp(std::floor(share * kColours), 0.0, kColours - 1.0));
    }
};

Colours colours_of(const Grid& grid) {
    Range range;
    range.include(grid.values.values);
    return {grid.low.value_or(range.low), grid.high.value_or(range.empty ? 1 : range.high)};
}

// What the best cells say; empty where there is none.
std::string best_of(const Grid& grid) {
    Range range;
    range.include(grid.values.values);
    if (range.empty || grid.best == BestCell::kNone) return "";
    return with_decimals(grid.best == BestCell::kHighest ? range.high : range.low, grid.decimals);
}

struct Layout {
    double left = 0, cell = 0;
    size_t columns = 1;  // side by side; more go below
};

Layout layout_of(const Grid& grid, const Frame& frame) {
    const bool wide = frame.width >= kWide.width;
    double name = text_width(grid.row_axis, kFontSize), cell = wide ? 58 : 44;
    for (const std::string& row : grid.rows) name = std::max(name, text_width(row, kFontSize));
    const double left = std::clamp(name + 12, 40.0, wide ? 280.0 : 145.0);
    for (const std::string& column : grid.columns)
        cell = std::max(cell, std::min(text_width(column, kFontSize) + 10, wide ? 120.0 : 70.0));
    for (const float value : grid.values.values)
        cell = std::max(cell, text_width(with_decimals(static_cast<double>(value), grid.decimals), kFontSize) + 12);
    // Where they do not fit beside each other, blocks of about as many.
    const auto fit = std::max<size_t>(1, static_cast<size_t>((frame.width - left - 2) / cell));
    const size_t count = std::max<size_t>(1, grid.columns.size()), blocks = (count + fit - 1) / fit;
    return {left, cell, (count + blocks - 1) / blocks};
}

void draw_legend(Svg& svg, const Grid& grid, const Colours& colours, const std::string& best, const Frame& frame,
                 double left) {
    const std::string name = shorten(grid.scale_name, kFontSize, frame.width - left);
    svg.write({left, 12}, name, {{"class", "note"}}, name == grid.scale_name ? "" : grid.scale_name);
    for (int i = 0; i < kColours; ++i) svg.rectangle({left + i * kSwatch, 19}, kSwatch, 10, fmt::format("cell-{}", i));
    double at = left + kColours * kSwatch;
    const int decimals = std::min(grid.decimals, decimals_for(colours.high - colours.low));
    svg.write({left, 43}, with_decimals(colours.low, decimals), {{"class", "tick"}});
    svg.write({at, 43}, with_decimals(colours.high, decimals), {{"class", "tick"}, {"text-anchor", "end"}});
    if (!best.empty()) {
        svg.rectangle({at + 18, 19}, 15, 10, "best");
        svg.write({at + 39, 28}, grid.best == BestCell::kHighest ? "highest" : "lowest", {{"class", "tick"}});
        at += 72;
    }
    if (std::ranges::all_of(grid.values.values, [](float value) { return std::isfinite(value); })) return;
    svg.rectangle({at + 18, 19}, 15, 10, "absent");
    svg.write({at + 39, 28}, "none", {{"class", "tick"}});
}

bool is_best(const Grid& grid, size_t row, size_t column, const std::string& best) {
    const double value = value_of(grid, row, column);
    return !best.empty() && std::isfinite(value) && with_decimals(value, grid.decimals) == best;
}

// A line of ink between two of paper, so that it is seen on every colour.
void draw_frame(Svg& svg, const Point& corner, double width, double height) {
    svg.rectangle(corner, width, height, "best rim");
    svg.rectangle(corner, width, height, "best");
}

void draw_cell(Svg& svg, const Grid& grid, const Colours& colours, size_t row, size_t column, const Point& corner,
               double width, bool best) {
    const double value = value_of(grid, row, column);
    const std::string text = with_decimals(value, grid.decimals);
    const int colour = std::isfinite(value) ? colours.at(value) : -1;
    svg.rectangle(corner, width - 1, kCellHeight - 1, colour < 0 ? "absent" : fmt::format("cell-{}", colour),
                  grid.rows[row] + ", " + grid.columns[column] + ": " + text);
    svg.write(
        {corner.x + (width - 1) / 2, corner.y + kCellHeight / 2 + 4}, text,
        {{"class", fmt::format("cell-text{}{}", colour >= kFirstStrong ? " on-strong" : "", best ? " strong" : "")},
         {"text-anchor", "middle"}});
}

void draw_header(Svg& svg, const Grid& grid, const Layout& layout, size_t first, size_t end, double baseline) {
    const std::string axis = shorten(grid.row_axis, kFontSize, layout.left - 10);
    if (!axis.empty())
        svg.write({layout.left - 10, baseline}, axis, {{"class", "note"}, {"text-anchor", "end"}},
                  axis == grid.row_axis ? "" : grid.row_axis);
    for (size_t column = first; column < end; ++column) {
        const std::string name = shorten(grid.columns[column], kFontSize, layout.cell - 4);
        svg.write({layout.left + (static_cast<double>(column - first) + 0.5) * layout.cell, baseline}, name,
                  {{"class", "grid-name"}, {"text-anchor", "middle"}},
                  name == grid.columns[column] ? "" : grid.columns[column]);
    }
}

std::string draw_one(const Grid& grid, const Frame& frame) {
    const Colours colours = colours_of(grid);
    const Layout layout = layout_of(grid, frame);
    const std::string best = best_of(grid);
    const size_t blocks = std::max<size_t>(1, (grid.columns.size() + layout.columns - 1) / layout.columns);
    const double axis = grid.column_axis.empty() ? 0 : 18;
    const double block = kHeaderHeight + static_cast<double>(grid.rows.size()) * kCellHeight + kBlockGap;

    Svg svg(frame.width, kLegendHeight + axis + static_cast<double>(blocks) * block, frame.css_class, grid.description);
    draw_legend(svg, grid, colours, best, frame, frame.width >= kWide.width ? layout.left : 10);
    if (axis > 0) {
        const std::string name = shorten(grid.column_axis, kFontSize, frame.width - layout.left);
        svg.write({layout.left, kLegendHeight + 13}, name, {{"class", "note"}},
                  name == grid.column_axis ? "" : grid.column_axis);
    }
    for (size_t b = 0; b < blocks; ++b) {
        const size_t first = b * layout.columns, end = std::min(first + layout.columns, grid.columns.size());
        const double header = kLegendHeight + axis + static_cast<double>(b) * block, top = header + kHeaderHeight;
        draw_header(svg, grid, layout, first, end, header + 15);
        const auto corner = [&](size_t row, size_t column) {
            return Point{layout.left + static_cast<double>(column - first) * layout.cell,
                         top + static_cast<double>(row) * kCellHeight};
        };
        for (size_t row = 0; row < grid.rows.size(); ++row) {
            const std::string name = shorten(grid.rows[row], kFontSize, layout.left - 10);
            svg.write({layout.left - 10, corner(row, first).y + kCellHeight / 2 + 4}, name,
                      {{"class", "grid-name"}, {"text-anchor", "end"}}, name == grid.rows[row] ? "" : grid.rows[row]);
            for (size_t column = first; column < end; ++column)
                draw_cell(svg, grid, colours, row, column, corner(row, column), layout.cell,
                          is_best(grid, row, column, best));
        }
        // After all cells, or their neighbours would cover the frames.
        for (size_t row = 0; row < grid.rows.size(); ++row)
            for (size_t column = first; column < end; ++column)
                if (is_best(grid, row, column, best))
                    draw_frame(svg, corner(row, column), layout.cell - 1, kCellHeight - 1);
    }
    return svg.finish();
}

}  // namespace

Html draw(const Grid& grid) {
    check(grid);
    return in_both_widths(grid, draw_one);
}

}  // namespace cmr::report
