#pragma once
// The size of Deep SVDD (Ruff et al. 2018), shared by training and scoring.

#include <cstdint>

namespace cmr::model {

inline constexpr int64_t kSvddFeatures = 32;  // as in the original

}  // namespace cmr::model
