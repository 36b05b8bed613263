#include "report/timeline.h"

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "report/frame.h"
#include "report/reading.h"
#include "report/trace.h"

namespace cmr::report {
namespace {

constexpr double kTitleHeight = 24;  // above each panel
constexpr double kPanelGap = 10;
constexpr double kMostDecades = 4;  // below the highest score nobody looks closer

double panel_height(const Timeline& timeline) { return timeline.series.size() <= 1 ? 200 : 130; }

Scale scale_of_scores(const Timeline& timeline, double top, double bottom) {
    Range range;
    const bool log = timeline.y == ScaleKind::kLog;
    for (const Series& series : timeline.series)
        for (const float value : series.values)
            if (!log || value > 0) range.include(static_cast<double>(value));
    if (timeline.alarm_line && (!log || *timeline.alarm_line > 0)) {
        range.include(*timeline.alarm_line);
        // So that the line stands clear of the upper end even where all is well.
        range.include(*timeline.alarm_line * (log ? 3 : 1.2));
    }
    if (range.empty) range.include(1.0);
    if (log) {
        range.low = std::max(range.low, range.high / std::pow(10, kMostDecades));
        // Room above, but no whole decade.
        return {timeline.y, range.low / 1.1, range.high * 1.3, bottom, top};
    }
    range.include(0.0);
    return Scale(timeline.y, range.low, range.high, bottom, top).with_round_ends(5);
}

Scale scale_of_times(const Timeline& timeline, double period, const Frame& frame) {
    Range range;
    if (!timeline.times.empty()) {
        range.include(timeline.times.front());
        range.include(timeline.times.back() + period);
    }
    return {timeline.x, range.low, range.high, frame.left, frame.plot_end()};
}

void draw_panel(Svg& svg, const Timeline& timeline, const Series& series, double period, const Scale& x, const Scale& y,
                const Frame& frame) {
    draw_bands(svg, timeline.bands, x, y.to(), y.from());
    draw_x_grid(svg, x, y.to(), y.from());
    draw_y_axis(svg, y, frame);
    const auto lines = trace(timeline.times, series.values, period, x, y);
    svg.draw("path", {{"class", "score"}, {"d", path_data(lines)}});
    if (timeline.alarm_line) {
        const double level = y.at(*timeline.alarm_line);
        const auto above = parts_above(lines, level);
        if (!above.empty()) svg.draw("path", {{"class", "score above"}, {"d", path_data(above, /*closed=*/true)}});
        svg.line({frame.left, level}, {frame.plot_end(), level}, "alarm-line");
        svg.write({frame.plot_end() + 6, level + 4}, frame.right > 60 ? "alarm line" : "alarm",
                  {{"class", "alarm-name"}});
    }
    const double room = frame.width - frame.left;
    const std::string name = shorten(series.name, kHeadingSize, room);
    const bool note = text_width(name, kHeadingSize) + 9 + text_width(series.note, kFontSize) <= room;
    svg.write_heading({frame.left, y.to() - 8}, name, "panel-name", note ? series.note : "",
                      name == series.name ? "" : series.name);
}

std::string draw_one(const Timeline& timeline, const Frame& frame) {
    const double period = timeline.period > 0 ? timeline.period : usual_step(timeline.times);
    const Scale x = scale_of_times(timeline, period, frame);
    const BandLabels labels(timeline.bands, x);
    const double panel = panel_height(timeline), count = static_cast<double>(timeline.series.size());
    const double panels_top = labels.height();
    const double panels_end = panels_top + count * (kTitleHeight + panel + kPanelGap);
    const double strip = timeline.alarms.empty() && !timeline.alarm_line ? 0 : 12;
    const double axis = panels_end + (strip > 0 ? strip + 8 : 0);

    Svg svg(frame.width, axis + kXAxisHeight, frame.css_class, timeline.description);
    labels.draw(svg, 0);
    open_readings(svg, x, ReadingMode::kAll);
    double top = panels_top + kTitleHeight;
    for (const Series& series : timeline.series) {
        const auto peaks =
            cells(timeline.times, series.values, period, x, static_cast<int64_t>(frame.width / 2), Cell::kGreatest);
        draw_reading(svg, {.name = series.name, .top = top, .bottom = top + panel, .values = peaks});
        top += kTitleHeight + panel + kPanelGap;
    }
    svg.close();
    top = panels_top + kTitleHeight;
    for (const Series& series : timeline.series) {
        draw_panel(svg, timeline, series, period, x, scale_of_scores(timeline, top, top + panel), frame);
        top += kTitleHeight + panel + kPanelGap;
    }
    if (strip > 0) {
        svg.rectangle({frame.left, panels_end}, frame.plot_end() - frame.left, strip, "strip");
        svg.write({frame.left - 8, panels_end + strip - 2}, "alarms", {{"class", "tick"}, {"text-anchor", "end"}});
        for (const AlarmEpisode& alarm : timeline.alarms) {
            if (std::isnan(alarm.begin) || std::isnan(alarm.end) || alarm.end < x.low() || alarm.begin > x.high())
                continue;
            const double begin = x.at(alarm.begin);
            svg.rectangle({begin, panels_end}, std::max(2.0, x.at(alarm.end) - begin), strip, "alarm",
                          "alarm for " + duration_text(alarm.end - alarm.begin) + " from " + x.describe(alarm.begin));
        }
    }
    draw_x_axis(svg, x, axis);
    return svg.finish();
}

}  // namespace

Html draw(const Timeline& timeline) {
    for (const Series& series : timeline.series) check_signal(series.name, timeline.times, series.values.size());
    return in_both_widths(timeline, draw_one);
}

}  // namespace cmr::report
