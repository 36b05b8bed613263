#pragma once
// Results of two choices at once, the way of pooling and the number of neighbours, say: a number in every cell, the
// stronger its colour the higher, and a frame around the best.

#include <optional>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "report/text.h"

namespace cmr::report {

enum class BestCell { kHighest, kLowest, kNone };

struct Grid {
    std::string description;
    std::string scale_name;             // what the numbers are
    std::string row_axis, column_axis;  // what is chosen; may be empty
    std::vector<std::string> rows, columns;
    Matrix values;                        // [rows, columns]; NaN or infinite is absent, shown in grey
    std::optional<double> low{}, high{};  // of the colours; else those of the values
    int decimals = 3;
    BestCell best = BestCell::kHighest;  // all that are equally good as written
};

// InputError for numbers of names and values that do not go together, for ends that do not rise and for decimals that
// are not 0 to 9.
Html draw(const Grid& grid);

}  // namespace cmr::report
