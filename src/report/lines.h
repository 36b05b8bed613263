#pragma once
// Curves over a number: a result for each k, a loss for each epoch, a ROC curve. Each has a colour and dashes of its
// own, and where it was measured several times a shade as wide as the deviation.

#include <optional>
#include <string>
#include <vector>

#include "report/scale.h"
#include "report/text.h"

namespace cmr::report {

struct Line {
    std::string name;
    std::vector<double> x, y;         // joined in the order in which they come; NaN or infinite is a gap
    std::vector<double> deviation{};  // ± in y, not negative; empty, or one for each y
};

inline constexpr size_t kMostLines = 8;  // that can be told apart

struct LineChart {
    std::string description;
    std::string x_name, y_name;
    ScaleKind x = ScaleKind::kLinear;
    ScaleKind y = ScaleKind::kLinear;         // on a logarithmic axis what is 0 or less lies on its lower end
    std::optional<double> low{}, high{};      // ends of y; what lies beyond is drawn at the end
    std::optional<double> x_low{}, x_high{};  // ends of x; else those of the data
    bool square = false;                      // a plot as wide as high
    bool diagonal = false;                    // a dashed line from corner to corner: chance in a ROC curve
    std::string diagonal_name = "chance";
    std::vector<Line> lines{};  // the first is drawn on top
};

// InputError for more lines than can be told apart, for x, y and deviations of different numbers, for a negative
// deviation and for ends of an axis that do not rise.
Html draw(const LineChart& chart);

}  // namespace cmr::report
