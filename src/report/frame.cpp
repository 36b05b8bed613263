#include "report/frame.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "report/ticks.h"

namespace cmr::report {
namespace {

double widest(const std::vector<Tick>& ticks) {
    double widest = 0;
    for (const Tick& tick : ticks) widest = std::max(widest, text_width(tick.label, kFontSize));
    return widest;
}

// As many as leave the widest label its room.
std::vector<Tick> x_ticks(const Scale& x) {
    const double room = std::abs(x.to() - x.from());
    if (x.kind() == ScaleKind::kLog) {
        // From 1 to 2 and from 5 to 10 it is as far.
        const double step = room * std::log(2.0) / std::log(x.high() / x.low());
        if (step > 20)
            if (std::vector<Tick> ticks = one_two_five(x.low(), x.high());
                ticks.size() >= 2 && step >= widest(ticks) + 8)
                return ticks;
    }
    for (int most = std::max(2, static_cast<int>(room / 48));; --most) {
        std::vector<Tick> ticks = x.ticks(most);
        if (most <= 2 || static_cast<double>(ticks.size()) * (widest(ticks) + 14) <= room) return ticks;
    }
}

std::vector<Tick> y_ticks(const Scale& y) {
    int most = static_cast<int>(std::abs(y.to() - y.from()) / 28);
    std::vector<Tick> ticks = y.ticks(most);
    // One value alone tells no scale.
    for (const int limit = most + 3; ticks.size() < 2 && most < limit;) ticks = y.ticks(++most);
    return ticks;
}

}  // namespace

void check_ends(std::string_view what, const std::optional<double>& low, const std::optional<double>& high) {
    if (low && !std::isfinite(*low)) throw InputError("{}: the axis begins at {}", what, *low);
    if (high && !std::isfinite(*high)) throw InputError("{}: the axis ends at {}", what, *high);
    if (low && high && *low >= *high)
        throw InputError("{}: the axis goes from {} to {}, which does not rise", what, *low, *high);
}

void draw_x_axis(Svg& svg, const Scale& x, double bottom) {
    svg.line({x.from(), bottom}, {x.to(), bottom}, "axis");
    double free_from = 0;  // for the second row of labels
    for (const Tick& tick : x_ticks(x)) {
        const double at = x.at(tick.value);
        svg.line({at, bottom}, {at, bottom + 4}, "axis");
        svg.write({at, bottom + 17}, tick.label, {{"class", "tick"}, {"text-anchor", "middle"}});
        const double half = text_width(tick.context, kFontSize) / 2;
        if (tick.context.empty() || at - half < free_from) continue;
        svg.write({std::max(at, half), bottom + 32}, tick.context, {{"class", "tick"}, {"text-anchor", "middle"}});
        free_from = at + half + 8;
    }
}

void draw_x_name(Svg& svg, const Scale& x, double bottom, std::string_view name) {
    if (name.empty()) return;
    const std::string text = shorten(name, kFontSize, x.to() - x.from());
    svg.write({(x.from() + x.to()) / 2, bottom + 34}, text, {{"class", "note"}, {"text-anchor", "middle"}},
              text == name ? "" : name);
}

void draw_x_grid(Svg& svg, const Scale& x, double top, double bottom) {
    for (const Tick& tick : x_ticks(x)) svg.line({x.at(tick.value), top}, {x.at(tick.value), bottom}, "grid");
}

void draw_y_axis(Svg& svg, const Scale& y, const Frame& frame) {
    for (const Tick& tick : y_ticks(y)) {
        const double at = y.at(tick.value);
        svg.line({frame.left, at}, {frame.plot_end(), at}, "grid");
        svg.write({frame.left - 8, at + 4}, tick.label, {{"class", "tick"}, {"text-anchor", "end"}});
    }
}

Frame with_room_for(const Scale& y, const Frame& frame) {
    Frame out = frame;
    out.left = std::max(out.left, widest(y_ticks(y)) + 10);
    return out;
}

void draw_plane(Svg& svg, const Scale& x, const Scale& y, const Frame& frame, std::string_view x_name,
                std::string_view y_name) {
    draw_x_grid(svg, x, y.to(), y.from());
    draw_y_axis(svg, y, frame);
    draw_x_axis(svg, x, y.from());
    draw_x_name(svg, x, y.from(), x_name);
    if (y_name.empty()) return;
    const std::string text = shorten(y_name, kFontSize, frame.width - frame.left);
    svg.write({frame.left, y.to() - 8}, text, {{"class", "note"}}, text == y_name ? "" : y_name);
}

}  // namespace cmr::report
