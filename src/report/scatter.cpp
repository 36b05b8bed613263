#include "report/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "report/frame.h"
#include "report/legend.h"

namespace cmr::report {
namespace {

// A mark begins beside its middle and goes on from there.
struct Shape {
    double x = 0, y = 0;
    const char* data;
    const char* css_class;
};
constexpr Shape kHealthyShape{0, 0, "h0", "points round"};
constexpr std::array<Shape, kHues> kFaultShapes{{{0, -3.4, "l3.2 5.6h-6.4z", "points"},
                                                 {-2.4, -2.4, "h4.8v4.8h-4.8z", "points"},
                                                 {0, -3.6, "l3 3.6l-3 3.6l-3-3.6z", "points"},
                                                 {-3, 0, "h6m-3-3v6", "points thin"},
                                                 {-2.5, -2.5, "l5 5m0-5l-5 5", "points thin"},
                                                 {0, 3.4, "l3.2-5.6h-6.4z", "points"},
                                                 {-3.5, 0, "h7", "points thin"},
                                                 {0, -3.5, "v7", "points thin"}}};

void check(const Scatter& scatter) {
    for (const PointClass& one : scatter.classes)
        if (one.x.size() != one.y.size())
            throw InputError("{}: {} values of y for {} of x", one.name, one.y.size(), one.x.size());
    const auto faults = std::ranges::count(scatter.classes, false, &PointClass::healthy);
    if (faults > static_cast<std::ptrdiff_t>(kHues))
        throw InputError("scatter: {} faults, but no more than {} can be told apart", faults, kHues);
}

bool is_point(const PointClass& one, size_t i) { return std::isfinite(one.x[i]) && std::isfinite(one.y[i]); }

// Room around the outermost points, or their marks would hang over the edge.
Scale scale_of(const Scatter& scatter, std::vector<double> PointClass::*values, ScaleKind kind, double from,
               double to) {
    Range range;
    for (const PointClass& one : scatter.classes)
        for (size_t i = 0; i < one.x.size(); ++i)
            if (const double value = (one.*values)[i]; is_point(one, i) && (kind != ScaleKind::kLog || value > 0))
                range.include(value);
    const Scale exact(kind, range.low, range.empty ? 1 : range.high, from, to);
    const double low = exact.low(), high = exact.high(), room = 0.03;
    if (kind == ScaleKind::kLog) {
        const double factor = std::pow(high / low, room);
        return {kind, low / factor, high * factor, from, to};
    }
    return {kind, low - (high - low) * room, high + (high - low) * room, from, to};
}

// Marks in the same place, to half a unit, are one: in one path nobody could tell them apart.
std::string marks(const PointClass& one, const Shape& shape, const Scale& x, const Scale& y) {
    std::vector<std::pair<int64_t, int64_t>> places;
    for (size_t i = 0; i < one.x.size(); ++i)
        if (is_point(one, i)) places.emplace_back(std::llround(2 * x.at(one.x[i])), std::llround(2 * y.at(one.y[i])));
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    std::string data;
    for (const auto& [right, down] : places)
        data.append("M")
            .append(coordinate(static_cast<double>(right) / 2 + shape.x))
            .append(" ")
            .append(coordinate(static_cast<double>(down) / 2 + shape.y))
            .append(shape.data);
    return data;
}

std::string draw_one(const Scatter& scatter, const Frame& wanted) {
    const double height = wanted.width >= kWide.width ? 440 : 300;
    Frame frame = with_room_for(scale_of(scatter, &PointClass::y, scatter.y, height, 0), wanted);
    frame.right = 20;
    std::vector<const Shape*> shapes;
    std::vector<LegendEntry> entries;
    size_t faults = 0;
    for (const PointClass& one : scatter.classes) {
        const size_t fault = one.healthy ? 0 : faults++;
        const Shape& shape = one.healthy ? kHealthyShape : kFaultShapes[fault];
        int64_t count = 0;
        for (size_t i = 0; i < one.x.size(); ++i) count += is_point(one, i);
        shapes.push_back(&shape);
        entries.push_back({fmt::format("M{} {}{}", coordinate(shape.x), coordinate(shape.y), shape.data),
                           fmt::format("{} {}", shape.css_class, hue_of_class(one.healthy, fault)), one.name,
                           with_commas(count)});
    }
    const Legend legend(entries, legend_begin(frame), frame.width - legend_begin(frame));
    const double top = legend.height() + (scatter.y_name.empty() ? 10 : kYNameHeight);
    const Scale x = scale_of(scatter, &PointClass::x, scatter.x, frame.left, frame.plot_end());
    const Scale y = scale_of(scatter, &PointClass::y, scatter.y, top + height, top);

    Svg svg(frame.width, top + height + kXAxisHeight, frame.css_class, scatter.description);
    legend.draw(svg, 0);
    draw_plane(svg, x, y, frame, scatter.x_name, scatter.y_name);
    for (size_t i = 0; i < scatter.classes.size(); ++i)
        if (const std::string data = marks(scatter.classes[i], *shapes[i], x, y); !data.empty())
            svg.draw("path", {{"class", entries[i].css_class}, {"d", data}}, scatter.classes[i].name);
    return svg.finish();
}

}  // namespace

Html draw(const Scatter& scatter) {
    check(scatter);
    return in_both_widths(scatter, draw_one);
}

}  // namespace cmr::report
