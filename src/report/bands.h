#pragma once
// Stretches of time that have a name, shaded behind a chart and named above it.

#include <span>
#include <string>
#include <vector>

#include "report/frame.h"

namespace cmr::report {

enum class BandKind {
    kFault,    // what was really wrong: an attack, a defect
    kHealthy,  // known to be healthy, and learned from
};

struct Band {
    double begin = 0, end = 0;  // seconds, as the times of the chart
    std::string name;
    BandKind kind = BandKind::kFault;
};

// The names, in as many rows as keep them apart, three at most. What finds no room keeps its shade, and is named when
// the pointer rests on it.
class BandLabels {
  public:
    BandLabels(std::span<const Band> bands, const Scale& x);

    double height() const;
    void draw(Svg& svg, double top) const;

  private:
    struct Label {
        std::string text, name;
        double place = 0, middle = 0;  // of the text, of the band
        size_t row = 0;
        BandKind kind = BandKind::kFault;
    };
    std::vector<Label> labels_;
    size_t rows_ = 0;
};

// The shades, or only their edges, on top of a chart that is filled itself.
void draw_bands(Svg& svg, std::span<const Band> bands, const Scale& x, double top, double bottom);
void draw_band_edges(Svg& svg, std::span<const Band> bands, const Scale& x, double top, double bottom);

}  // namespace cmr::report
