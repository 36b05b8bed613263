#include "report/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cmr::report {
namespace {

constexpr double kRowHeight = 18;
constexpr double kSampleWidth = 24, kNameGap = 7, kNoteGap = 9, kEntryGap = 20;

double note_width(const LegendEntry& entry) {
    return entry.note.empty() ? 0 : kNoteGap + text_width(entry.note, kFontSize);
}

}  // namespace

Legend::Legend(const std::vector<LegendEntry>& entries, double left, double width, bool list) {
    double at = 0;
    for (const LegendEntry& entry : entries) {
        const double taken = kSampleWidth + kNameGap + note_width(entry);
        const std::string text = shorten(entry.name, kFontSize, width - taken);
        const double whole = taken + text_width(text, kFontSize);
        if (rows_ == 0 || list || at + whole > width) {
            ++rows_;
            at = 0;
        }
        entries_.push_back({entry, text, {left + at, (static_cast<double>(rows_) - 0.5) * kRowHeight}});
        at += whole + kEntryGap;
    }
}

double Legend::height() const { return rows_ == 0 ? 0 : static_cast<double>(rows_) * kRowHeight + 6; }

void Legend::draw(Svg& svg, double top) const {
    for (const Placed& placed : entries_) {
        const Point middle{placed.at.x + kSampleWidth / 2, top + placed.at.y};
        svg.draw("path", {{"class", placed.entry.css_class},
                          {"transform", fmt::format("translate({} {})", coordinate(middle.x), coordinate(middle.y))},
                          {"d", placed.entry.sample}});
        const Point text{placed.at.x + kSampleWidth + kNameGap, middle.y + 4};
        const std::string_view title = placed.text == placed.entry.name ? "" : std::string_view(placed.entry.name);
        svg.write_heading(text, placed.text, "legend-name", placed.entry.note, title);
    }
}

double legend_begin(const Frame& frame) { return frame.width < kWide.width ? 10 : frame.left; }

std::string hue(size_t index) { return fmt::format("hue-{}", index % kHues); }

// Amber first, which means a fault everywhere.
std::string hue_of_class(bool healthy, size_t fault) {
    static constexpr std::array<size_t, kHues> kOfFaults = {1, 2, 3, 0, 4, 5, 6, 7};
    return healthy ? "hue-healthy" : hue(kOfFaults[fault % kHues]);
}

}  // namespace cmr::report
