#pragma once
// What all charts share: widths, margins and axes.
//
// Every chart is drawn twice, for a desk and for a phone, so that text has its size on both; the page shows the one
// that fits. The margins are the same in every chart of a width, so that charts with the same times stand exactly above
// each other.

#include <optional>
#include <string>
#include <string_view>

#include "report/scale.h"
#include "report/svg.h"
#include "report/text.h"

namespace cmr::report {

struct Frame {
    double width = 0;
    double left = 0, right = 0;  // margins
    std::string_view css_class;

    double plot_end() const { return width - right; }
};
inline constexpr Frame kWide{960, 92, 76, "chart wide"};
inline constexpr Frame kNarrow{360, 62, 58, "chart narrow"};
inline constexpr double kFontSize = 12, kHeadingSize = 13;

// A chart in both widths: `draw(chart, frame)` gives one of them.
template <typename Chart, typename Draw>
Html in_both_widths(const Chart& chart, const Draw& draw) {
    return {"<div class=\"figure\">\n" + draw(chart, kWide) + draw(chart, kNarrow) + "</div>\n"};
}

// Throws InputError naming `what` unless the ends that are given are finite and rise.
void check_ends(std::string_view what, const std::optional<double>& low, const std::optional<double>& high);

// Labels under `bottom`, which take this height, and where they stand.
inline constexpr double kXAxisHeight = 38;
void draw_x_axis(Svg& svg, const Scale& x, double bottom);
// What the numbers of an axis are, under its labels and within their height; for axes that are not of time.
void draw_x_name(Svg& svg, const Scale& x, double bottom, std::string_view name);
// Thin vertical lines where the x axis has its labels.
void draw_x_grid(Svg& svg, const Scale& x, double top, double bottom);
// Thin horizontal lines and labels left of them.
void draw_y_axis(Svg& svg, const Scale& y, const Frame& frame);

// The same frame, or one with a wider margin where the labels of y need it; places on y do not matter, its length does.
Frame with_room_for(const Scale& y, const Frame& frame);

// Both axes of two numbers, with lines and names. The name of y stands above the plot and takes this height.
inline constexpr double kYNameHeight = 20;
void draw_plane(Svg& svg, const Scale& x, const Scale& y, const Frame& frame, std::string_view x_name,
                std::string_view y_name);

}  // namespace cmr::report
