#include "report/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "report/frame.h"
#include "report/legend.h"
#include "report/trace.h"

namespace cmr::report {
namespace {

constexpr size_t kMostDots = 30;   // of a line; with more they would hide it
constexpr double kNearest = 0.35;  // points nearer than that are one
constexpr double kSquare = 400;    // the greatest side of a square plot

void check(const LineChart& chart) {
    if (chart.lines.size() > kMostLines)
        throw InputError("lines: {} lines, but no more than {} can be told apart", chart.lines.size(), kMostLines);
    check_ends("lines: y", chart.low, chart.high);
    check_ends("lines: x", chart.x_low, chart.x_high);
    for (const Line& line : chart.lines) {
        if (line.x.size() != line.y.size())
            throw InputError("{}: {} values of y for {} of x", line.name, line.y.size(), line.x.size());
        if (!line.deviation.empty() && line.deviation.size() != line.y.size())
            throw InputError("{}: {} deviations for {} values", line.name, line.deviation.size(), line.y.size());
        for (const double deviation : line.deviation)
            if (deviation < 0) throw InputError("{}: a deviation of {}, less than 0", line.name, deviation);
    }
}

bool is_point(const Line& line, size_t i) { return std::isfinite(line.x[i]) && std::isfinite(line.y[i]); }

Scale scale_of_x(const LineChart& chart, double from, double to) {
    Range range;
    for (const Line& line : chart.lines)
        for (size_t i = 0; i < line.x.size(); ++i)
            if (is_point(line, i) && (chart.x != ScaleKind::kLog || line.x[i] > 0)) range.include(line.x[i]);
    const double high = range.empty ? 1 : range.high;
    return {chart.x, chart.x_low.value_or(range.low), chart.x_high.value_or(high), from, to};
}

Scale scale_of_y(const LineChart& chart, double from, double to) {
    Range range;
    const auto include = [&](double value) {
        if (chart.y != ScaleKind::kLog || value > 0) range.include(value);
    };
    for (const Line& line : chart.lines)
        for (size_t i = 0; i < line.y.size(); ++i) {
            if (!is_point(line, i)) continue;
            include(line.y[i]);
            if (line.deviation.empty()) continue;
            include(line.y[i] - line.deviation[i]);
            include(line.y[i] + line.deviation[i]);
        }
    if (chart.low) include(*chart.low);
    if (chart.high) include(*chart.high);
    const double greatest = range.empty ? 1 : range.high;
    // Room above and below on a logarithmic axis, but no whole decade.
    const Scale round = chart.y == ScaleKind::kLog ? Scale(chart.y, range.low / 1.15, greatest * 1.15, from, to)
                                                   : Scale(chart.y, range.low, greatest, from, to).with_round_ends(6);
    return {chart.y, chart.low.value_or(round.low()), chart.high.value_or(round.high()), from, to};
}

// Parts between gaps, without points that nobody could tell from the one before.
std::vector<Polyline> parts_of(const Line& line, const Scale& x, const Scale& y) {
    std::vector<Polyline> parts;
    bool gap = true;
    for (size_t i = 0; i < line.x.size(); ++i) {
        if (!is_point(line, i)) {
            gap = true;
            continue;
        }
        const Point point{x.at(line.x[i]), y.at(line.y[i])};
        if (std::exchange(gap, false)) parts.emplace_back();
        Polyline& part = parts.back();
        const bool last = i + 1 == line.x.size() || !is_point(line, i + 1);
        if (last || part.empty() || std::hypot(point.x - part.back().x, point.y - part.back().y) >= kNearest)
            part.push_back(point);
    }
    return parts;
}

// From y − deviation to y + deviation.
std::vector<Polyline> shade_of(const Line& line, const Scale& x, const Scale& y) {
    Line upper{line.name, line.x, line.y}, lower = upper;
    for (size_t i = 0; i < line.deviation.size(); ++i) {
        upper.y[i] += line.deviation[i];
        lower.y[i] -= line.deviation[i];
        if (!std::isfinite(upper.y[i]) || !std::isfinite(lower.y[i])) upper.y[i] = lower.y[i] = std::nan("");
    }
    std::vector<Polyline> parts = parts_of(upper, x, y);
    const std::vector<Polyline> below = parts_of(lower, x, y);
    CMR_ASSERT(parts.size() == below.size(), "both edges have the gaps of the deviations");
    for (size_t i = 0; i < parts.size(); ++i) parts[i].insert(parts[i].end(), below[i].rbegin(), below[i].rend());
    return parts;
}

std::string title_of_point(const Line& line, size_t i, const Scale& x) {
    std::string text = fmt::format("{} at {}: {}", line.name, x.describe(line.x[i]), readable(line.y[i], 4));
    if (!line.deviation.empty() && std::isfinite(line.deviation[i])) text += " ± " + readable(line.deviation[i], 2);
    return text;
}

void draw_line(Svg& svg, const Line& line, const std::string& colour, const Scale& x, const Scale& y) {
    const auto parts = parts_of(line, x, y);
    if (parts.empty()) return;
    svg.draw("path", {{"class", "curve " + colour}, {"d", path_data(parts)}}, line.name);
    if (line.x.size() > kMostDots) return;
    for (size_t i = 0; i < line.x.size(); ++i)
        if (is_point(line, i))
            svg.draw("circle",
                     {{"class", "dot " + colour}, {"cx", x.at(line.x[i])}, {"cy", y.at(line.y[i])}, {"r", 2.8}},
                     title_of_point(line, i, x));
}

std::string draw_one(const LineChart& chart, const Frame& wanted) {
    std::vector<LegendEntry> entries;
    for (size_t i = 0; i < chart.lines.size(); ++i)
        entries.push_back({kLineSample, "curve " + hue(i), chart.lines[i].name});
    if (chart.diagonal) entries.push_back({kLineSample, "guide", chart.diagonal_name});

    // A square plot leaves room beside it on a desk.
    const double usual_height = wanted.width >= kWide.width ? 300 : 240;
    Frame frame = with_room_for(scale_of_y(chart, usual_height, 0), wanted);
    frame.right = 20;
    const double side = std::min(kSquare, frame.plot_end() - frame.left);
    const bool beside = chart.square && frame.width - frame.left - side > 200;
    if (chart.square) frame.right = frame.width - frame.left - side;
    const double legend_left = beside ? frame.plot_end() + 28 : legend_begin(frame);
    const Legend legend(entries, legend_left, frame.width - legend_left, beside);
    const double top = (beside ? 0 : legend.height()) + (chart.y_name.empty() ? 10 : kYNameHeight);
    const double height = chart.square ? side : usual_height;
    const Scale x = scale_of_x(chart, frame.left, frame.plot_end());
    const Scale y = scale_of_y(chart, top + height, top);

    Svg svg(frame.width, std::max(top + height + kXAxisHeight, legend.height() + (beside ? top : 0)), frame.css_class,
            chart.description);
    legend.draw(svg, beside ? top : 0);
    draw_plane(svg, x, y, frame, chart.x_name, chart.y_name);
    if (chart.diagonal) svg.line({x.from(), y.from()}, {x.to(), y.to()}, "guide");
    for (size_t i = chart.lines.size(); i-- > 0;)
        if (const auto shade = shade_of(chart.lines[i], x, y); !chart.lines[i].deviation.empty() && !shade.empty())
            svg.draw("path", {{"class", "shade " + hue(i)}, {"d", path_data(shade, /*closed=*/true)}});
    for (size_t i = chart.lines.size(); i-- > 0;) draw_line(svg, chart.lines[i], hue(i), x, y);
    return svg.finish();
}

}  // namespace

Html draw(const LineChart& chart) {
    check(chart);
    return in_both_widths(chart, draw_one);
}

}  // namespace cmr::report
