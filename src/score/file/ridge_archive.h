#pragma once
// Ridge regressions in a model file. From one they are checked to fit what they will be given.

#include "linear/mechanism.h"
#include "score/file/archive.h"

namespace cmr::score {

inline void put_ridge(Archive& to, const linear::Ridge& ridge) {
    to.put("input_mean", ridge.input_mean);
    to.put("output_mean", ridge.output_mean);
    to.put("weights", ridge.weights);
    to.put("deviation", ridge.deviation);
    to.put("penalty", ridge.penalty);
}

inline linear::Ridge ridge_of(const Archive& from, int64_t outputs) {
    linear::Ridge out{from.vector("input_mean"), from.vector("output_mean"), from.doubles("weights"),
                      from.vector("deviation"), from.number("penalty")};
    from.require(out.weights.rows() == out.input_mean.size() && out.weights.cols() == outputs &&
                     out.output_mean.size() == outputs && out.deviation.size() == outputs && out.input_mean.size() > 0,
                 "the parts of a linear mechanism do not fit together");
    from.require((out.deviation.array() > 0).all(), "a deviation is not positive");
    return out;
}

inline linear::LaggedRidge lagged_ridge_of(const Archive& from, int64_t causes, int64_t effects, int64_t length) {
    const int64_t lags = from.whole("lags", 0, length - 1);
    linear::Ridge ridge = ridge_of(from, effects);
    from.require(ridge.input_mean.size() == causes * (lags + 1), "its inputs are not the lagged causes");
    return {std::move(ridge), causes, effects, lags};
}

inline void put_window_ridge(Archive& to, const linear::WindowRidge& ridge) {
    put_ridge(to, ridge.ridge());
    if (ridge.origin().size() == 0) return;
    to.put("origin", ridge.origin());
    to.put_half("basis", ridge.basis());
}

// outputs: samples of all channels.
inline linear::WindowRidge window_ridge_of(const Archive& from, int64_t inputs, int64_t outputs, int64_t channels) {
    linear::Ridge ridge = ridge_of(from, outputs);
    const bool rotated = from.has("origin");
    Eigen::VectorXd origin = rotated ? from.vector("origin") : Eigen::VectorXd();
    Eigen::MatrixXd basis = rotated ? from.doubles("basis") : Eigen::MatrixXd();
    from.require(rotated ? origin.size() == inputs && basis.rows() == inputs && basis.cols() == ridge.input_mean.size()
                         : ridge.input_mean.size() == inputs,
                 "its inputs are not those of the causes");
    return {std::move(ridge), std::move(origin), std::move(basis), channels};
}

}  // namespace cmr::score
