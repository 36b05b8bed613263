#pragma once
// The linear mechanism with memory in a model file.

#include "linear/dynamic_ridge.h"
#include "score/file/ridge_archive.h"

namespace cmr::score {

inline void put_dynamic_ridge(Archive& to, const linear::DynamicRidge& fitted) {
    put_ridge(to, fitted.ridge());
    to.put("whitening", fitted.whitening());
    to.put("lags", static_cast<double>(fitted.lags()));
}

inline linear::DynamicRidge dynamic_ridge_of(const Archive& from, int64_t causes, int64_t effects, int64_t length) {
    const int64_t lags = from.whole("lags", 0, length - 1);
    linear::Ridge ridge = ridge_of(from, effects);
    Eigen::MatrixXd whitening = from.doubles("whitening");
    from.require(ridge.input_mean.size() == linear::DynamicRidge::inputs(causes, effects, lags),
                 "its inputs are not lagged causes and the past of the effects");
    from.require(whitening.rows() == effects && whitening.cols() == effects, "its whitening does not fit its effects");
    return {std::move(ridge), std::move(whitening), causes, effects, lags};
}

}  // namespace cmr::score
