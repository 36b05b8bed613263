#include "score/features/marginal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace cmr::score {

Matrix marginal_deviations(const MatrixView& effects, int64_t channels) {
    if (channels < 1) throw InputError("marginal deviation: no effect channel that moves in healthy training data");
    CMR_ASSERT(effects.columns > 0 && effects.columns % channels == 0, "each channel has the same number of samples");
    const int64_t length = effects.columns / channels;
    Matrix out(effects.rows, channels);
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < channels; ++c) {
            const auto samples = effects.row(i).subspan(c * length, length);
            const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
            out.row(i)[c] = static_cast<float>(std::abs(sum) / static_cast<double>(length));
        }
    return out;
}

double quantile(std::vector<float> healthy, double fraction) {
    if (healthy.empty()) throw InputError("a percentile of healthy scores needs at least one healthy window");
    CMR_ASSERT(fraction >= 0 && fraction <= 1, "a fraction is between 0 and 1");
    std::ranges::sort(healthy);
    const double place = fraction * static_cast<double>(healthy.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, healthy.size() - 1);
    return std::lerp(static_cast<double>(healthy[below]), static_cast<double>(healthy[above]),
                     place - static_cast<double>(below));
}

StealthRule fit_stealth_rule(const std::vector<float>& healthy_deviations) {
    return {quantile(healthy_deviations, 0.95)};
}

}  // namespace cmr::score
