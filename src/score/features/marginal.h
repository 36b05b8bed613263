#pragma once
// How far each effect channel alone is from its healthy level: the score that needs no model, and the yardstick of how
// well a fault hides.

#include "base/matrix.h"

namespace cmr::score {

// effects: [windows, channels · length], z-scored, as window_matrix gives it → [windows, channels]:
//   deviation of a channel = | mean over time |. The marginal deviation of a window is the largest (max_of_rows).
Matrix marginal_deviations(const MatrixView& effects, int64_t channels);

}  // namespace cmr::score
