#pragma once
// Faults that each sensor alone does not show, apart from those that it does. Stealthy: the window's marginal score is
// below a percentile of those of the healthy windows that the detector knows. AUROC is against all healthy test
// windows.

#include "study/result.h"

namespace cmr::study {

// One result per percentile. `scores`, `faulty`, `marginal`: of each test window; `healthy`: marginal scores.
std::vector<StealthResult> by_stealth(const std::vector<double>& percentiles, const std::vector<double>& scores,
                                      const std::vector<uint8_t>& faulty, const std::vector<double>& marginal,
                                      const std::vector<double>& healthy);

}  // namespace cmr::study
