#pragma once
// One line of a score file, of one window. All that is not a number, such as the level of a window that could not be
// judged, is an empty cell.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cmr::score {

// The state of a window that could not be judged, in place of what its labels say.
inline constexpr std::string_view kUnjudged = "unjudged";

// The column of windows outside the learned range, which files of before do not have.
inline constexpr std::string_view kOutsideRange = "outside_range";

struct ScoreRow {
    std::string_view recording;
    int64_t first = 0;  // sample
    bool dated = false;
    double start_s = 0, end_s = 0;
    std::string_view state, stratum, event, split;
    std::span<const float> scores;
    double p_value = 1, level = 0;
    bool alarm = false, outside_range = false;
    std::string_view sensors;          // the sick ones, as to_text says them
    std::span<const float> residuals;  // of each effect
};

// With the end of the line.
std::string score_header(const std::vector<std::string>& scores, const std::vector<std::string>& effects);
std::string to_csv(const ScoreRow& row);

}  // namespace cmr::score
