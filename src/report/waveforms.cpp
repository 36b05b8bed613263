#include "report/waveforms.h"

#include <algorithm>
#include <cmath>

#include "report/frame.h"
#include "report/reading.h"
#include "report/trace.h"

namespace cmr::report {
namespace {

constexpr double kTitleHeight = 24;
constexpr double kPanelHeight = 66;
constexpr double kPanelGap = 12;

struct Panel {
    const Waveform& signal;
    double period = 0;
    size_t begin = 0, end = 0;  // samples shown
    Scale y;
};

Panel panel_of(const Waveform& signal, const Scale& x, double top) {
    const auto begin = std::ranges::lower_bound(signal.times, x.low()) - signal.times.begin();
    const auto end = std::max(begin, std::ranges::upper_bound(signal.times, x.high()) - signal.times.begin());
    const auto first = static_cast<size_t>(begin), count = static_cast<size_t>(end - begin);
    Range range;
    range.include(signal.observed.subspan(first, count));
    if (!signal.expected.empty()) range.include(signal.expected.subspan(first, count));
    const double room = (range.high - range.low) * 0.06;  // so that a line at the limit is not cut
    const double period = signal.period > 0 ? signal.period : usual_step(signal.times);
    return {signal, period, first, first + count,
            Scale(ScaleKind::kLinear, range.low - room, range.high + room, top + kPanelHeight, top)};
}

// Between what was and what would have been; of many samples the means of as many groups as there are columns.
std::vector<Polyline> area_of_difference(const Panel& panel, const Scale& x) {
    const Waveform& s = panel.signal;
    const size_t group = std::max<size_t>(1, (panel.end - panel.begin) / static_cast<size_t>(x.to() - x.from()));
    std::vector<Polyline> areas;
    Polyline upper, lower;
    const auto finish = [&] {
        upper.insert(upper.end(), lower.rbegin(), lower.rend());
        if (upper.size() > 2) areas.push_back(upper);
        upper.clear();
        lower.clear();
    };
    for (size_t i = panel.begin; i + group <= panel.end; i += group) {
        double observed = 0, expected = 0;
        for (size_t j = i; j < i + group; ++j) {
            observed += static_cast<double>(s.observed[j]) / static_cast<double>(group);
            expected += static_cast<double>(s.expected[j]) / static_cast<double>(group);
        }
        if (!std::isfinite(observed) || !std::isfinite(expected) ||
            (i > 0 && s.times[i] - s.times[i - 1] > 2 * panel.period)) {
            finish();
            continue;
        }
        const double at = x.at(s.times[i + group / 2]);
        upper.push_back({at, panel.y.at(observed)});
        lower.push_back({at, panel.y.at(expected)});
    }
    finish();
    return areas;
}

// Names at the right ends of the two lines, moved apart where they would touch.
void name_the_lines(Svg& svg, const Panel& panel, const std::vector<Polyline>& observed,
                    const std::vector<Polyline>& expected, const Frame& frame) {
    if (observed.empty() || expected.empty()) return;
    double seen = observed.back().back().y, meant = expected.back().back().y;
    if (const double apart = std::abs(seen - meant); apart < 13) {
        const double middle = std::clamp((seen + meant) / 2, panel.y.to() + 6.5, panel.y.from() - 6.5);
        const double side = seen < meant ? -6.5 : 6.5;
        seen = middle + side;
        meant = middle - side;
    }
    const double at = frame.plot_end() + 6;
    svg.write({at, seen + 4}, "observed", {{"class", "line-name effect"}});
    svg.write({at, meant + 4}, "expected", {{"class", "line-name expected"}});
}

void draw_panel(Svg& svg, const Panel& panel, const Waveforms& all, const Scale& x, const Frame& frame) {
    const Waveform& s = panel.signal;
    const char* role = s.role == SignalRole::kCause ? "cause" : "effect";
    draw_bands(svg, all.bands, x, panel.y.to(), panel.y.from());
    draw_x_grid(svg, x, panel.y.to(), panel.y.from());
    draw_y_axis(svg, panel.y, frame);
    const auto observed = trace(s.times, s.observed, panel.period, x, panel.y);
    if (!s.expected.empty()) {
        const auto expected = trace(s.times, s.expected, panel.period, x, panel.y);
        svg.draw("path", {{"class", "difference"}, {"d", path_data(area_of_difference(panel, x), /*closed=*/true)}});
        svg.draw("path", {{"class", "signal expected"}, {"d", path_data(expected)}});
        name_the_lines(svg, panel, observed, expected, frame);
    }
    svg.draw("path", {{"class", std::string("signal ") + role}, {"d", path_data(observed)}});
}

// Above everything else, or a line through the panels would cross it.
void draw_heading(Svg& svg, const Panel& panel, const Frame& frame) {
    const Waveform& s = panel.signal;
    const std::string role = s.role == SignalRole::kCause ? "cause" : "effect";
    const double room = frame.width - frame.left;
    const std::string note = shorten(s.unit.empty() ? role : role + ", " + s.unit, kFontSize, room / 2);
    const std::string name = shorten(s.name, kHeadingSize, room - 9 - text_width(note, kFontSize));
    svg.write_heading({frame.left, panel.y.to() - 8}, name, "panel-name " + role, note, name == s.name ? "" : s.name);
}

void read_out(Svg& svg, const Panel& panel, const Scale& x, const Frame& frame) {
    const Waveform& s = panel.signal;
    const auto columns = static_cast<int64_t>(frame.width / 2);
    const auto values = cells(s.times, s.observed, panel.period, x, columns, Cell::kMean);
    draw_reading(svg, {s.name, panel.y.to(), panel.y.from(), values, s.unit});
    if (s.expected.empty()) return;
    const auto meant = cells(s.times, s.expected, panel.period, x, columns, Cell::kMean);
    draw_reading(svg, {s.name + ", expected", panel.y.to(), panel.y.from(), meant, s.unit});
}

std::string draw_one(const Waveforms& all, const Frame& frame) {
    const Scale x(all.x, all.begin, all.end, frame.left, frame.plot_end());
    const BandLabels labels(all.bands, x);
    const double onset_height = all.onset ? 18 : 0;
    const double first = labels.height() + onset_height + kTitleHeight;
    std::vector<Panel> panels;
    for (const Waveform& signal : all.signals)
        panels.push_back(panel_of(
            signal, x, first + static_cast<double>(panels.size()) * (kTitleHeight + kPanelHeight + kPanelGap)));
    const double bottom =
        first - kTitleHeight + static_cast<double>(panels.size()) * (kTitleHeight + kPanelHeight + kPanelGap);

    Svg svg(frame.width, bottom + kXAxisHeight, frame.css_class, all.description);
    labels.draw(svg, onset_height);
    open_readings(svg, x, ReadingMode::kAll);
    for (const Panel& panel : panels) read_out(svg, panel, x, frame);
    svg.close();
    for (const Panel& panel : panels) draw_panel(svg, panel, all, x, frame);
    if (all.onset && x.holds(*all.onset)) {
        const double at = x.at(*all.onset);
        svg.line({at, onset_height - 3}, {at, bottom}, "onset");
        const std::string name = shorten(all.onset_name, kFontSize, frame.plot_end() - frame.left);
        const double half = text_width(name, kFontSize) / 2;
        svg.write({std::clamp(at, half, frame.width - half), 11}, name,
                  {{"class", "onset-name"}, {"text-anchor", "middle"}});
    }
    for (const Panel& panel : panels) draw_heading(svg, panel, frame);
    draw_x_axis(svg, x, bottom);
    return svg.finish();
}

}  // namespace

Html draw(const Waveforms& waveforms) {
    for (const Waveform& s : waveforms.signals) {
        check_signal(s.name, s.times, s.observed.size());
        if (!s.expected.empty()) check_signal(s.name + " (expected)", s.times, s.expected.size());
    }
    return in_both_widths(waveforms, draw_one);
}

}  // namespace cmr::report
