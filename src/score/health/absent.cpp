#include "score/health/absent.h"

#include <algorithm>
#include <cmath>

namespace cmr::score {
namespace {

bool has_absent(std::span<const float> samples) {
    return std::ranges::any_of(samples, [](float value) { return std::isnan(value); });
}

// What the causes of a window make one expect of its effects: [effects, length]. Before the window they were as at its
// beginning.
Matrix expected(const linear::LaggedRidge& mechanism, std::span<const float> causes, int64_t effects, int64_t length) {
    const int64_t lags = mechanism.lags(), longer = length + lags, count = std::ssize(causes) / length;
    Matrix held(1, count * longer);
    for (int64_t c = 0; c < count; ++c) {
        const auto own = causes.subspan(c * length, length);
        const auto to = held.row(0).subspan(c * longer, longer);
        std::fill_n(to.begin(), lags, own.front());
        std::ranges::copy(own, to.begin() + lags);
    }
    // Of effects that are 0 nothing is left but what was expected, its sign turned.
    const Matrix left = mechanism.residuals(held, Matrix(1, effects * longer));
    Matrix out(effects, length);
    for (int64_t e = 0; e < effects; ++e)
        for (int64_t t = 0; t < length; ++t)
            out.row(e)[t] = static_cast<float>(-left.row(0)[e * length + t] * mechanism.ridge().deviation(e));
    return out;
}

}  // namespace

std::vector<Absence> fill_absent(const linear::LaggedRidge& mechanism, Features& samples, int64_t length) {
    const int64_t effects = samples.effects.columns / length;
    std::vector<Absence> out(samples.rows());
    for (int64_t i = 0; i < samples.rows(); ++i) {
        out[i].all_effects = effects;
        const std::span<float> causes = samples.causes.row(i);
        out[i].cause = has_absent(causes);
        std::ranges::replace_if(
            causes, [](float value) { return std::isnan(value); }, 0.0f);
        Matrix instead;
        for (int64_t e = 0; e < effects; ++e) {
            const auto own = samples.effects.row(i).subspan(e * length, length);
            if (!has_absent(own)) continue;
            out[i].effects.push_back(e);
            if (instead.rows == 0) instead = expected(mechanism, causes, effects, length);
            for (int64_t t = 0; t < length; ++t)
                if (std::isnan(own[t])) own[t] = instead.row(e)[t];
        }
    }
    return out;
}

}  // namespace cmr::score
