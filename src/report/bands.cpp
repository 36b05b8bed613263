#include "report/bands.h"

#include <algorithm>
#include <cmath>

namespace cmr::report {
namespace {

constexpr size_t kMostRows = 3;
constexpr double kRowHeight = 16;
constexpr double kLeastWidth = 1.5;  // or it could not be seen

struct Stretch {
    double begin = 0, end = 0;  // places
};

// False where nothing of it is on the scale.
bool place(const Band& band, const Scale& x, Stretch& stretch) {
    if (std::isnan(band.begin) || std::isnan(band.end) || band.end < x.low() || band.begin > x.high()) return false;
    stretch = {x.at(band.begin), x.at(band.end)};
    if (const double lack = kLeastWidth - (stretch.end - stretch.begin); lack > 0) {
        stretch.begin -= lack / 2;
        stretch.end += lack / 2;
    }
    return true;
}

const char* css_class(BandKind kind) { return kind == BandKind::kFault ? "fault" : "healthy"; }

}  // namespace

BandLabels::BandLabels(std::span<const Band> bands, const Scale& x) {
    std::vector<Band> in_order(bands.begin(), bands.end());
    std::ranges::stable_sort(in_order, {}, [](const Band& band) { return band.begin + band.end; });
    std::vector<double> free_from(kMostRows, 0.0);
    for (const Band& band : in_order) {
        Stretch stretch;
        if (band.name.empty() || !place(band, x, stretch)) continue;
        const double middle = (stretch.begin + stretch.end) / 2;
        const std::string text = shorten(band.name, kFontSize, 150);
        const double half = text_width(text, kFontSize) / 2;
        // Inside the plot, as near to the band as that allows.
        const double centre = std::clamp(middle, x.from() + half, std::max(x.from() + half, x.to() - half));
        for (size_t row = 0; row < kMostRows; ++row) {
            if (centre - half < free_from[row]) continue;
            free_from[row] = centre + half + 10;
            labels_.push_back({text, band.name, centre, middle, row, band.kind});
            rows_ = std::max(rows_, row + 1);
            break;
        }
    }
}

double BandLabels::height() const { return rows_ == 0 ? 0 : static_cast<double>(rows_) * kRowHeight + 8; }

// The first row stands nearest to the chart; a line leads from each name down to its band.
void BandLabels::draw(Svg& svg, double top) const {
    const double bottom = top + height();
    for (const Label& label : labels_) {
        const double base = bottom - 10 - static_cast<double>(label.row) * kRowHeight;
        svg.line({label.middle, base + 3}, {label.middle, bottom}, std::string("leader ") + css_class(label.kind));
    }
    for (const Label& label : labels_) {
        const double base = bottom - 10 - static_cast<double>(label.row) * kRowHeight;
        svg.write({label.place, base}, label.text,
                  {{"class", std::string("band-name ") + css_class(label.kind)}, {"text-anchor", "middle"}},
                  label.text == label.name ? "" : label.name);
    }
}

void draw_bands(Svg& svg, std::span<const Band> bands, const Scale& x, double top, double bottom) {
    Stretch stretch;
    for (const Band& band : bands)
        if (place(band, x, stretch))
            svg.rectangle({stretch.begin, top}, stretch.end - stretch.begin, bottom - top,
                          std::string("band ") + css_class(band.kind), band.name);
}

void draw_band_edges(Svg& svg, std::span<const Band> bands, const Scale& x, double top, double bottom) {
    Stretch stretch;
    for (const Band& band : bands) {
        if (!place(band, x, stretch)) continue;
        const std::string css = std::string("edge ") + css_class(band.kind);
        if (band.begin > x.low()) svg.line({stretch.begin, top}, {stretch.begin, bottom}, css);
        if (band.end < x.high()) svg.line({stretch.end, top}, {stretch.end, bottom}, css);
    }
}

}  // namespace cmr::report
