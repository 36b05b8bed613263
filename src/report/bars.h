#pragma once
// Numbers to compare: horizontal bars in groups, for leaderboards and for results per fold. Our own bars are filled
// strongly, and what others published is a diamond beside what we measured.

#include <optional>
#include <string>
#include <vector>

#include "report/text.h"

namespace cmr::report {

struct Bar {
    std::string name;
    double value = 0;                   // NaN or infinite is absent: a dash instead of a bar
    std::optional<double> deviation{};  // ±, not negative
    std::optional<double> reference{};  // elsewhere published, say
    bool strong = false;
    std::string note{};  // after the value, smaller
};

struct BarGroup {
    std::string name;  // may be empty
    std::vector<Bar> bars;
};

struct BarChart {
    std::string description;
    std::string axis;                     // what the numbers are
    std::optional<double> low{}, high{};  // ends of the axis; else from 0 to the greatest number
    std::optional<double> line{};         // a dashed vertical line: chance, say
    std::string line_name{};
    std::string reference_name = "published";
    std::optional<int> decimals{};  // of the numbers; else as many as suit the axis
    std::vector<BarGroup> groups{};
};

// InputError for ends of the axis that do not rise, for a negative deviation and for decimals that are not 0 to 9.
Html draw(const BarChart& chart);

}  // namespace cmr::report
