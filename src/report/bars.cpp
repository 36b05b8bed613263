#include "report/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "report/frame.h"
#include "report/legend.h"

namespace cmr::report {
namespace {

constexpr double kHeadingHeight = 26, kGroupGap = 10;
constexpr double kLeastPlot = 300;  // of a wide chart, whatever names and notes want
constexpr double kMarkRoom = 11;    // right and left of the middle of a diamond
constexpr double kValueGap = 7;     // between the end of a bar and its number
constexpr double kNoteGap = 9;
constexpr double kBoldWidth = 1.12;
constexpr size_t kManyBars = 30;  // from here on rows are closer
const char* const kDiamondSample = "M0-5L5 0L0 5L-5 0z";

void check(const BarChart& chart) {
    check_ends("bars", chart.low, chart.high);
    if (chart.decimals && (*chart.decimals < 0 || *chart.decimals > 9))
        throw InputError("bars: {} decimals, 0 to 9 are possible", *chart.decimals);
    for (const BarGroup& group : chart.groups)
        for (const Bar& bar : group.bars)
            if (bar.deviation && *bar.deviation < 0)
                throw InputError("bars: the deviation of {} is {}, less than 0", bar.name, *bar.deviation);
}

// A number, or none where it is NaN or infinite.
std::optional<double> finite(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? value : std::nullopt;
}

template <typename Visit>
void for_each_bar(const BarChart& chart, const Visit& visit) {
    for (const BarGroup& group : chart.groups)
        for (const Bar& bar : group.bars) visit(group, bar);
}

Scale scale_of(const BarChart& chart, double from, double to) {
    Range range;
    for (const auto& value : {std::optional<double>(chart.low ? *chart.low : 0), chart.high, chart.line})
        if (value) range.include(*value);
    for_each_bar(chart, [&](const BarGroup&, const Bar& bar) {
        range.include(bar.value);
        range.include(bar.value + finite(bar.deviation).value_or(0));
        range.include(bar.value - finite(bar.deviation).value_or(0));
        if (bar.reference) range.include(*bar.reference);
    });
    const Scale round = Scale(ScaleKind::kLinear, range.low, range.high, from, to).with_round_ends(8);
    return {ScaleKind::kLinear, chart.low.value_or(round.low()), chart.high.value_or(round.high()), from, to};
}

std::string value_text(const Bar& bar, int decimals) {
    std::string text = with_decimals(bar.value, decimals);
    if (std::isfinite(bar.value) && finite(bar.deviation)) text += " ± " + with_decimals(*bar.deviation, decimals);
    return text;
}

std::string title_of(const BarChart& chart, const BarGroup& group, const Bar& bar, int decimals) {
    std::string text = group.name.empty() ? bar.name : group.name + ", " + bar.name;
    text += ": " + value_text(bar, decimals);
    if (finite(bar.reference)) text += "; " + chart.reference_name + " " + with_decimals(*bar.reference, decimals);
    return bar.note.empty() ? text : text + "; " + bar.note;
}

// Bold letters are wider.
double width_of(std::string_view text, const Bar& bar) {
    return text_width(text, kFontSize) * (bar.strong ? kBoldWidth : 1);
}
std::string shorten_for(std::string_view text, const Bar& bar, double room) {
    return shorten(text, kFontSize, room / (bar.strong ? kBoldWidth : 1));
}

struct Layout {
    Frame frame;
    bool stacked = false;  // names above the bars, as on a phone
    double row = 0, thickness = 0;
    int decimals = 3;
};

// How far from the lower end all that is drawn of a bar reaches, as a share of the axis.
double reach_of(const Bar& bar, const Scale& share) {
    double reach = share.at(std::clamp(0.0, share.low(), share.high()));
    if (std::isfinite(bar.value)) reach = std::max(reach, share.at(bar.value + finite(bar.deviation).value_or(0)));
    return finite(bar.reference) ? std::max(reach, share.at(*bar.reference)) : reach;
}

// Names take what they need left of the bars. Numbers and notes follow the ends of their bars, and the axis is as long
// as they leave it: the number of a short bar may stand under the end of a long one.
Layout layout_of(const BarChart& chart, const Frame& frame) {
    const Scale share = scale_of(chart, 0, 1);
    Layout layout{.frame = frame,
                  .stacked = frame.width < kWide.width,
                  .decimals = chart.decimals.value_or(decimals_for(share.high() - share.low()))};
    if (layout.stacked) {
        layout.frame.left = layout.frame.right = 10;
        layout.row = 34;
        layout.thickness = 9;
        return layout;
    }
    double name = 0;
    size_t bars = 0;
    for_each_bar(chart, [&](const BarGroup&, const Bar& bar) {
        name = std::max(name, width_of(bar.name, bar));
        ++bars;
    });
    layout.row = bars > kManyBars ? 18 : 24;
    layout.thickness = bars > kManyBars ? 11 : 14;
    layout.frame.left = std::clamp(name + 10, 60.0, 360.0);
    double plot = frame.width - layout.frame.left - 14;
    for_each_bar(chart, [&](const BarGroup&, const Bar& bar) {
        const double text = kValueGap + width_of(value_text(bar, layout.decimals), bar) +
                            (bar.reference ? kMarkRoom : 0) +
                            (bar.note.empty() ? 0 : kNoteGap + text_width(bar.note, kFontSize));
        plot = std::min(plot, (frame.width - layout.frame.left - text) / std::max(reach_of(bar, share), 0.01));
    });
    layout.frame.right = frame.width - layout.frame.left - std::max(plot, kLeastPlot);
    return layout;
}

void draw_whisker(Svg& svg, const Bar& bar, const Scale& x, double middle) {
    if (bar.value + *bar.deviation < x.low() || bar.value - *bar.deviation > x.high()) return;
    const double from = x.at(bar.value - *bar.deviation), to = x.at(bar.value + *bar.deviation), cap = 3.5;
    const std::string data = fmt::format("M{0} {2}H{1}M{0} {3}v{4}M{1} {3}v{4}", coordinate(from), coordinate(to),
                                         coordinate(middle), coordinate(middle - cap), coordinate(2 * cap));
    svg.draw("path", {{"class", "whisker rim"}, {"d", data}});
    svg.draw("path", {{"class", "whisker"}, {"d", data}});
}

// Where the number stands: behind all that is drawn of the bar.
double place_of_value(const Bar& bar, const Scale& x, double base, double width) {
    double at = base;
    if (std::isfinite(bar.value)) at = std::max(base, x.at(bar.value + finite(bar.deviation).value_or(0)));
    at += kValueGap;
    if (const auto reference = finite(bar.reference); reference && x.holds(*reference)) {
        const double mark = x.at(*reference);
        if (mark + kMarkRoom > at && mark - kMarkRoom < at + width) at = mark + kMarkRoom;
    }
    return at;
}

void draw_text(Svg& svg, const Bar& bar, const Layout& layout, const Scale& x, double base, double top) {
    const std::string value = value_text(bar, layout.decimals), strong = bar.strong ? " strong" : "";
    const double value_width = width_of(value, bar);
    if (layout.stacked) {
        const double room = x.to() - x.from() - value_width - 12;
        const std::string name = shorten_for(bar.name, bar, room);
        const bool note = width_of(name, bar) + kNoteGap + text_width(bar.note, kFontSize) <= room;
        svg.write_heading({x.from(), top + 13}, name, "bar-name" + strong, note ? bar.note : "",
                          name == bar.name ? "" : bar.name);
        svg.write({x.to(), top + 13}, value, {{"class", "bar-value" + strong}, {"text-anchor", "end"}});
        return;
    }
    const double baseline = top + layout.row / 2 + 4;
    const std::string name = shorten_for(bar.name, bar, layout.frame.left - 10);
    svg.write({layout.frame.left - 10, baseline}, name, {{"class", "bar-name" + strong}, {"text-anchor", "end"}},
              name == bar.name ? "" : bar.name);
    const double at = place_of_value(bar, x, base, value_width);
    const double room = layout.frame.width - at - value_width - kNoteGap;
    const std::string note = room < 24 ? "" : shorten(bar.note, kFontSize, room);
    svg.write_heading({at, baseline}, value, "bar-value" + strong, note, note == bar.note ? "" : bar.note);
}

void draw_bar(Svg& svg, const BarChart& chart, const BarGroup& group, const Bar& bar, const Layout& layout,
              const Scale& x, double top) {
    const double base = x.at(std::clamp(0.0, x.low(), x.high()));
    const double upper = layout.stacked ? top + 18 : top + (layout.row - layout.thickness) / 2;
    const double middle = upper + layout.thickness / 2;
    const std::string title = title_of(chart, group, bar, layout.decimals);
    if (std::isfinite(bar.value)) {
        const double end = x.at(bar.value);
        svg.rectangle({std::min(base, end), upper}, std::abs(end - base), layout.thickness,
                      bar.strong ? "bar strong" : "bar", title);
        if (finite(bar.deviation)) draw_whisker(svg, bar, x, middle);
    }
    if (const auto reference = finite(bar.reference); reference && x.holds(*reference))
        svg.draw("path",
                 {{"class", "reference"},
                  {"transform", fmt::format("translate({} {})", coordinate(x.at(*reference)), coordinate(middle))},
                  {"d", kDiamondSample}},
                 title);
    draw_text(svg, bar, layout, x, base, top);
}

Legend legend_of(const BarChart& chart, const Frame& frame) {
    bool references = false;
    for_each_bar(chart, [&](const BarGroup&, const Bar& bar) { references |= finite(bar.reference).has_value(); });
    std::vector<LegendEntry> entries;
    if (references) entries.push_back({kDiamondSample, "reference", chart.reference_name});
    if (finite(chart.line) && !chart.line_name.empty())
        entries.push_back({kLineSample, "guide", chart.line_name + " " + readable(*chart.line)});
    return {entries, frame.left, frame.width - frame.left};
}

std::string draw_one(const BarChart& chart, const Frame& frame) {
    const Layout layout = layout_of(chart, frame);
    const Scale x = scale_of(chart, layout.frame.left, layout.frame.plot_end());
    const Legend legend = legend_of(chart, layout.frame);
    const double top = legend.height() + 4;
    double bottom = top;
    for (const BarGroup& group : chart.groups)
        bottom +=
            (group.name.empty() ? 0 : kHeadingHeight) + static_cast<double>(group.bars.size()) * layout.row + kGroupGap;

    Svg svg(frame.width, bottom + kXAxisHeight, frame.css_class, chart.description);
    legend.draw(svg, 0);
    draw_x_grid(svg, x, top, bottom);
    if (const auto line = finite(chart.line); line && x.holds(*line))
        svg.line({x.at(*line), top}, {x.at(*line), bottom}, "guide");
    double at = top;
    for (const BarGroup& group : chart.groups) {
        if (!group.name.empty()) {
            const double left = layout.stacked ? x.from() : 0;
            const std::string name = shorten(group.name, kHeadingSize, frame.width - left);
            svg.write_heading({left, at + 18}, name, "panel-name", "", name == group.name ? "" : group.name);
            at += kHeadingHeight;
        }
        for (const Bar& bar : group.bars) {
            draw_bar(svg, chart, group, bar, layout, x, at);
            at += layout.row;
        }
        at += kGroupGap;
    }
    draw_x_axis(svg, x, bottom);
    draw_x_name(svg, x, bottom, chart.axis);
    return svg.finish();
}

}  // namespace

Html draw(const BarChart& chart) {
    check(chart);
    return in_both_widths(chart, draw_one);
}

}  // namespace cmr::report
