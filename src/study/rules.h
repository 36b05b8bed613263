#pragma once
// Ways to make one score of the voices of a detector, tried beside the one that it uses: a rule is judged by datasets
// that it was not chosen with (tables/left_out.cpp). A new one is one function and one row.

#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.h"

namespace cmr::study {

struct Rule {
    std::string_view name;
    std::string_view what;
    // healthy [windows, voices], cross-fitted; tested [windows, voices] → one score per tested window.
    std::vector<double> (*join)(const MatrixView& healthy, const MatrixView& tested);
};

std::span<const Rule> rules();

// The one that stands beside every result as the least that a rule must reach.
inline constexpr std::string_view kFloor = "sum of -log p";

}  // namespace cmr::study
