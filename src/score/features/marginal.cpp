#include "score/features/marginal.h"

#include <cmath>
#include <numeric>

#include "base/error.h"

namespace cmr::score {

Matrix marginal_deviations(const MatrixView& effects, const Levels& levels) {
    const int64_t channels = levels.mean.size();
    if (channels < 1) throw InputError("marginal deviation: no effect channel that moves in healthy training data");
    CMR_ASSERT(effects.columns > 0 && effects.columns % channels == 0, "each channel has the same number of samples");
    const int64_t length = effects.columns / channels;
    Matrix out(effects.rows, channels);
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < channels; ++c) {
            const auto samples = effects.row(i).subspan(c * length, length);
            const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
            const double mean = sum / static_cast<double>(length);
            out.row(i)[c] = static_cast<float>(std::abs(mean - levels.mean(c)) / levels.deviation(c));
        }
    return out;
}

}  // namespace cmr::score
