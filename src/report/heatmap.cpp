#include "report/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "report/frame.h"
#include "report/reading.h"
#include "report/trace.h"

namespace cmr::report {
namespace {

constexpr size_t kMostLevels = 6;  // as many as the eye tells apart, and as the page has colours for
constexpr double kCellWidth = 2;
constexpr double kLegendHeight = 46;

void check(const HeatMap& map) {
    check_signal("heat map", map.times, static_cast<size_t>(map.values.rows));
    if (map.order.empty() && std::ssize(map.rows) != map.values.columns)
        throw InputError("heat map: {} names for {} channels", map.rows.size(), map.values.columns);
    if (!map.order.empty() && map.order.size() != map.rows.size())
        throw InputError("heat map: {} names for {} rows", map.rows.size(), map.order.size());
    for (const int64_t column : map.order)
        if (column < 0 || column >= map.values.columns)
            throw InputError("heat map: row of channel {}, but there are {} channels", column, map.values.columns);
    if (map.levels.empty() || map.levels.size() > kMostLevels || !std::ranges::is_sorted(map.levels))
        throw InputError("heat map: {} levels, 1 to {} that rise are needed", map.levels.size(), kMostLevels);
}

double row_height(size_t rows) { return std::clamp(600.0 / static_cast<double>(std::max<size_t>(rows, 1)), 3.0, 15.0); }

// 0: below all levels, -1: absent.
int level_of(float value, const std::vector<float>& levels) {
    if (std::isnan(value)) return -1;
    return static_cast<int>(std::ranges::upper_bound(levels, value) - levels.begin());
}

// With few levels the darkest colours are used too.
int colour_of(int level, size_t levels) { return level + static_cast<int>(kMostLevels - levels); }

// Cells of one level that touch are one rectangle, and all rectangles of a level one path.
std::string cells_of_level(const Matrix& grid, const HeatMap& map, int level, const Scale& x, double top,
                           double height) {
    std::string data;
    const double width = (x.to() - x.from()) / static_cast<double>(grid.columns);
    for (size_t row = 0; row < map.rows.size(); ++row) {
        const auto values = grid.row(map.order.empty() ? static_cast<int64_t>(row) : map.order[row]);
        for (size_t i = 0; i < values.size();) {
            size_t end = i;
            while (end < values.size() && level_of(values[end], map.levels) == level) ++end;
            if (end > i)
                data += fmt::format("M{} {}h{}v{}h-{}z", coordinate(x.from() + static_cast<double>(i) * width),
                                    coordinate(top + static_cast<double>(row) * height),
                                    coordinate(static_cast<double>(end - i) * width), coordinate(height - 1),
                                    coordinate(static_cast<double>(end - i) * width));
            i = std::max(end, i + 1);
        }
    }
    return data;
}

// Steps of colour with the values between them, to the left; the name of the scale above.
void draw_legend(Svg& svg, const HeatMap& map, const Frame& frame) {
    const double size = 30;
    svg.write({frame.left, 12}, map.scale_name, {{"class", "note"}});
    for (size_t i = 0; i <= map.levels.size(); ++i) {
        const double at = frame.left + static_cast<double>(i) * size;
        const int colour = i == 0 ? 0 : colour_of(static_cast<int>(i), map.levels.size());
        svg.rectangle({at, 19}, size, 9, fmt::format("heat-{}", colour));
        if (i > 0)
            svg.write({at, 41}, readable(static_cast<double>(map.levels[i - 1])),
                      {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    const double absent = frame.left + static_cast<double>(map.levels.size() + 1) * size + 16;
    svg.rectangle({absent, 19}, 12, 9, "absent");
    svg.write({absent + 18, 28}, "no data", {{"class", "tick"}});
}

std::string draw_one(const HeatMap& map, const Frame& frame) {
    const double period = map.period > 0 ? map.period : usual_step(map.times);
    const Scale x(map.x, map.times.empty() ? 0 : map.times.front(), map.times.empty() ? 0 : map.times.back() + period,
                  frame.left, frame.plot_end());
    const auto columns = static_cast<int64_t>((x.to() - x.from()) / kCellWidth);
    const Matrix grid = cells(map.times, map.values, period, x, columns, Cell::kGreatestMagnitude);
    const BandLabels labels(map.bands, x);
    const double height = row_height(map.rows.size());
    const double top = kLegendHeight + 6 + labels.height();
    const double bottom = top + height * static_cast<double>(map.rows.size());

    Svg svg(frame.width, bottom + 4 + kXAxisHeight, frame.css_class, map.description);
    draw_legend(svg, map, frame);
    labels.draw(svg, kLegendHeight + 6);
    open_readings(svg, x, ReadingMode::kOneCell);
    for (size_t row = 0; row < map.rows.size(); ++row) {
        const double at = top + static_cast<double>(row) * height;
        draw_reading(svg, {.name = map.rows[row],
                           .top = at,
                           .bottom = at + height,
                           .values = grid.row(map.order.empty() ? static_cast<int64_t>(row) : map.order[row])});
    }
    svg.close();
    for (size_t row = 0; row < map.rows.size(); ++row)
        svg.rectangle({x.from(), top + static_cast<double>(row) * height}, x.to() - x.from(), height - 1, "heat-0");
    for (int level = -1; level <= static_cast<int>(map.levels.size()); ++level) {
        if (level == 0) continue;  // the ground of the rows
        const std::string data = cells_of_level(grid, map, level, x, top, height);
        const std::string css = level < 0 ? "absent" : fmt::format("heat-{}", colour_of(level, map.levels.size()));
        if (!data.empty()) svg.draw("path", {{"class", css}, {"d", data}});
    }
    draw_band_edges(svg, map.bands, x, top - 4, bottom);
    for (const HeatMark& mark : map.marks) {
        const bool shown =
            mark.row >= 0 && mark.row < std::ssize(map.rows) && mark.end >= x.low() && mark.begin <= x.high();
        if (!shown) continue;
        const double begin = x.at(mark.begin) - 2, end = x.at(mark.end) + 2;
        svg.draw("rect", {{"x", begin},
                          {"y", top + static_cast<double>(mark.row) * height - 1.5},
                          {"width", end - begin},
                          {"height", height + 2},
                          {"rx", 2},
                          {"class", "mark"}});
    }
    // Names as dense as they can be read.
    const auto every = static_cast<size_t>(std::ceil(12 / height));
    for (size_t row = 0; row < map.rows.size(); row += every) {
        const std::string name = shorten(map.rows[row], 11, frame.left - 8);
        const bool marked =
            std::ranges::any_of(map.marks, [&](const HeatMark& m) { return m.row == static_cast<int64_t>(row); });
        svg.write({frame.left - 8, top + (static_cast<double>(row) + 0.5) * height + 3.5}, name,
                  {{"class", marked ? "row-name marked" : "row-name"}, {"text-anchor", "end"}},
                  name == map.rows[row] ? "" : map.rows[row]);
    }
    draw_x_axis(svg, x, bottom + 4);
    return svg.finish();
}

}  // namespace

Html draw(const HeatMap& map) {
    check(map);
    return in_both_widths(map, draw_one);
}

}  // namespace cmr::report
