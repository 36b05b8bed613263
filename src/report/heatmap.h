#pragma once
// Which channels left their healthy behaviour, and when: channels × time, the darker the farther. Standardised
// residuals are meant: 1 is the healthy deviation. A cell shows the greatest magnitude in it, so that a short one is
// not lost.

#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "report/bands.h"
#include "report/scale.h"
#include "report/text.h"

namespace cmr::report {

// A frame around cells that are spoken of.
struct HeatMark {
    int64_t row = 0;
    double begin = 0, end = 0;  // seconds
};

struct HeatMap {
    std::string description;
    std::span<const double> times;  // seconds, rising
    double period = 0;              // of the samples, in seconds; 0: their median step
    ScaleKind x = ScaleKind::kTime;
    MatrixView values;              // [times, channels]; NaN or infinite is absent, shown in grey
    std::vector<std::string> rows;  // names of the channels to show, from top to bottom
    std::vector<int64_t> order{};   // the column of `values` of each row; empty: as they come
    std::string scale_name = "residual, in healthy deviations";
    std::vector<float> levels{2, 3, 4, 6, 8, 12};  // where the colours change, rising; six at most
    std::vector<Band> bands{};
    std::vector<HeatMark> marks{};
};

// InputError for numbers of rows, columns and times that do not go together.
Html draw(const HeatMap& map);

}  // namespace cmr::report
