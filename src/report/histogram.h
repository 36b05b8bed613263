#pragma once
// How far the scores of healthy samples and of faults lie apart: one outline per class over common bins. Each class is
// counted in shares of its own, so that a rare fault is seen as well as the healthy many.

#include <optional>
#include <string>
#include <vector>

#include "report/scale.h"
#include "report/text.h"

namespace cmr::report {

struct Distribution {
    std::string name;
    std::vector<double> values;  // NaN is left out; infinite lies at an end
    bool healthy = false;        // else a fault
};

struct Histogram {
    std::string description;
    std::string x_name = "score";
    ScaleKind x = ScaleKind::kLinear;     // on a logarithmic axis what is 0 or less lies in the first bin
    std::optional<double> low{}, high{};  // ends of x; what lies beyond is counted in the bin at the end
    int bins = 40;                        // of equal width on the drawing
    std::optional<double> alarm_line{};   // an alarm is at or above it
    std::vector<Distribution> classes{};  // the first is drawn on top
};

// InputError for more than 8 faults, which is what can be told apart, for fewer than 2 or more than 400 bins
// and for ends that do not rise.
Html draw(const Histogram& histogram);

}  // namespace cmr::report
