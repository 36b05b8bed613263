#include "report/histogram.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "report/frame.h"
#include "report/legend.h"

namespace cmr::report {
namespace {

void check(const Histogram& histogram) {
    check_ends("histogram", histogram.low, histogram.high);
    if (histogram.bins < 2 || histogram.bins > 400)
        throw InputError("histogram: {} bins, 2 to 400 are possible", histogram.bins);
    const auto faults = std::ranges::count(histogram.classes, false, &Distribution::healthy);
    if (faults > static_cast<std::ptrdiff_t>(kHues))
        throw InputError("histogram: {} faults, but no more than {} can be told apart", faults, kHues);
}

Scale scale_of_values(const Histogram& histogram, double from, double to) {
    Range range;
    const auto include = [&](double value) {
        if (histogram.x != ScaleKind::kLog || value > 0) range.include(value);
    };
    for (const Distribution& one : histogram.classes)
        for (const double value : one.values) include(value);
    if (histogram.alarm_line) include(*histogram.alarm_line);
    const Scale all(histogram.x, range.low, range.empty ? 1 : range.high, from, to);
    const Scale ends = histogram.x == ScaleKind::kLinear ? all.with_round_ends(10) : all;
    return {histogram.x, histogram.low.value_or(ends.low()), histogram.high.value_or(ends.high()), from, to};
}

struct Counted {
    std::vector<double> percent;  // per bin, of the class
    int64_t count = 0, alarms = 0;
};

Counted count_class(const Distribution& one, const Histogram& histogram) {
    Counted out{std::vector<double>(static_cast<size_t>(histogram.bins), 0.0)};
    const Scale bin = scale_of_values(histogram, 0, histogram.bins);
    for (const double value : one.values) {
        if (std::isnan(value)) continue;
        ++out.count;
        out.alarms += histogram.alarm_line && value >= *histogram.alarm_line;
        ++out.percent[static_cast<size_t>(std::min(std::floor(bin.at(value)), histogram.bins - 1.0))];
    }
    for (double& share : out.percent) share *= 100 / static_cast<double>(std::max<int64_t>(out.count, 1));
    return out;
}

// Each run of bins that are not empty, from the base up, along the steps and down again.
std::string outline(const std::vector<double>& percent, const Scale& x, const Scale& y) {
    std::string data;
    const double width = (x.to() - x.from()) / static_cast<double>(percent.size());
    bool open = false;
    for (size_t i = 0; i < percent.size(); ++i) {
        const std::string begin = coordinate(x.from() + static_cast<double>(i) * width);
        if (percent[i] > 0) {
            if (!open) data.append("M").append(begin).append(" ").append(coordinate(y.from()));
            data.append("V").append(coordinate(y.at(percent[i])));
            data.append("H").append(coordinate(x.from() + static_cast<double>(i + 1) * width));
        } else if (open) {
            data.append("V").append(coordinate(y.from()));
        }
        open = percent[i] > 0;
    }
    return open ? data.append("V").append(coordinate(y.from())) : data;
}

std::string in_words(const Counted& counted, const Histogram& histogram) {
    std::string text = with_commas(counted.count);
    if (histogram.alarm_line && counted.count > 0)
        text += " · " + readable(100 * static_cast<double>(counted.alarms) / static_cast<double>(counted.count)) +
                " % alarms";
    return text;
}

std::string draw_one(const Histogram& histogram, const Frame& wanted) {
    Frame frame = wanted;
    frame.right = 20;
    std::vector<Counted> counts;
    std::vector<std::string> colours;
    std::vector<LegendEntry> entries;
    double highest = 0;
    size_t faults = 0;
    for (const Distribution& one : histogram.classes) {
        counts.push_back(count_class(one, histogram));
        colours.push_back(hue_of_class(one.healthy, one.healthy ? 0 : faults++));
        entries.push_back({kBoxSample, "outline " + colours.back(), one.name, in_words(counts.back(), histogram)});
        highest = std::max(highest, std::ranges::max(counts.back().percent));
    }
    const bool alarm = histogram.alarm_line && std::isfinite(*histogram.alarm_line);
    if (alarm) entries.push_back({kLineSample, "alarm-line", "alarm line", readable(*histogram.alarm_line)});
    const Legend legend(entries, legend_begin(frame), frame.width - legend_begin(frame));
    const double top = legend.height() + kYNameHeight, height = frame.width >= kWide.width ? 240 : 200;
    const Scale x = scale_of_values(histogram, frame.left, frame.plot_end());
    const Scale y = Scale(ScaleKind::kLinear, 0, highest > 0 ? highest : 1, top + height, top).with_round_ends(5);

    Svg svg(frame.width, top + height + kXAxisHeight, frame.css_class, histogram.description);
    legend.draw(svg, 0);
    draw_plane(svg, x, y, frame, histogram.x_name, "share of each class, %");
    for (size_t i = counts.size(); i-- > 0;)
        if (const std::string data = outline(counts[i].percent, x, y); !data.empty())
            svg.draw("path", {{"class", "outline " + colours[i]}, {"d", data}},
                     histogram.classes[i].name + ": " + in_words(counts[i], histogram));
    if (alarm && x.holds(*histogram.alarm_line))
        svg.line({x.at(*histogram.alarm_line), top}, {x.at(*histogram.alarm_line), top + height}, "alarm-line");
    return svg.finish();
}

}  // namespace

Html draw(const Histogram& histogram) {
    check(histogram);
    return in_both_widths(histogram, draw_one);
}

}  // namespace cmr::report
