#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cmr::train {

double Schedule::rate(int64_t epoch) const {
    double rate = settings_.learning_rate * state_.factor;
    if (epoch < settings_.warmup_epochs)
        return rate * static_cast<double>(epoch + 1) / static_cast<double>(settings_.warmup_epochs);
    if (settings_.schedule == "cosine") {
        const int64_t all = std::max<int64_t>(1, settings_.max_epochs - settings_.warmup_epochs);
        const double done = static_cast<double>(epoch - settings_.warmup_epochs) / static_cast<double>(all);
        rate *= 0.5 * (1 + std::cos(std::numbers::pi * std::min(done, 1.0)));
    }
    return rate;
}

bool Schedule::observe(int64_t epoch, double validation_loss) {
    const bool better = validation_loss < state_.best * (1 - least_gain_);
    if (better) {
        state_.best = validation_loss;
        state_.since_best = state_.since_change = 0;
        return true;
    }
    ++state_.since_best;
    ++state_.since_change;
    // A third of the patience, so that two halvings can help before it is over.
    const int64_t wait = std::max<int64_t>(1, settings_.patience / 3);
    if (settings_.schedule == "plateau" && epoch >= settings_.warmup_epochs && state_.since_change >= wait) {
        lower();
        state_.since_change = 0;
    }
    return false;
}

}  // namespace cmr::train
