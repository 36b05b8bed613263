#pragma once
// How many samples before each look back the scores that put all channels and their past into one vector.

#include <algorithm>

#include "linear/lagged_vectors.h"
#include "linear/mechanism.h"
#include "score/scorers/scorer.h"

namespace cmr::score {

// `score.lags`, within a window, and no more than make a vector of linear::kMostInputs numbers, of which the cost is
// the cube.
inline int64_t lags_of_all(const Healthy& healthy) {
    const int64_t channels = std::ssize(healthy.preprocessing.causes) + std::ssize(healthy.preprocessing.effects);
    const int64_t most = std::max<int64_t>(0, linear::kMostInputs / channels - 1);
    return std::min({healthy.recipe.score.lags, healthy.recipe.window.length - 1, most});
}

// What these scores are fitted on.
inline linear::HealthySamples samples_of_all(const Healthy& healthy) {
    return {healthy.dataset, healthy.preprocessing.scaler, data::covered(healthy.windows, healthy.recipe.window.length),
            healthy.preprocessing.causes, healthy.preprocessing.effects};
}

}  // namespace cmr::score
