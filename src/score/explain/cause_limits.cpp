#include "score/explain/cause_limits.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/quantile.h"
#include "linear/float_precision.h"

namespace cmr::score {

CauseLimits::CauseLimits(const linear::LaggedRidge& mechanism, const MatrixView& causes, const MatrixView& effects,
                         int64_t channels)
    : limits_(channels) {
    constexpr int64_t kMostWindows = 256;
    const Matrix some_causes = evenly_spaced_rows(causes, kMostWindows);
    const Matrix some_effects = evenly_spaced_rows(effects, kMostWindows);
    parallel_for(channels, [&](int64_t c) {
        std::vector<double> largest;
        for (int64_t i = 0; i < some_causes.rows; ++i)
            largest.push_back(std::ranges::max(mechanism.cause_shares(MatrixView(some_causes).rows_from(i, 1),
                                                                      MatrixView(some_effects).rows_from(i, 1), c)));
        std::ranges::sort(largest);
        limits_(c) = std::clamp(quantile_of(largest, 0.99), kClearShare, kHalf);
    });
    limits_ = linear::to_float_precision(limits_);
}

CauseLimits::CauseLimits(const Archive& from, int64_t channels) : limits_(from.vector("limits")) {
    from.require(limits_.size() == channels, "one limit per effect");
}

void CauseLimits::save(Archive& to) const { to.put("limits", limits_); }

}  // namespace cmr::score
