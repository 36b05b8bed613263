#include "linear/lagged_vectors.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/parallel.h"
#include "linear/covariance.h"
#include "linear/float_precision.h"
#include "linear/products.h"
#include "linear/samples.h"
#include "linear/symmetric.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of the mean variance: what moves by less than a thirtieth of a deviation is no more believed than that. Directions in
// which healthy vectors hardly move would else shout at a file that is rounded. docs/scores.md has the sweep.
constexpr double kFloor = 1e-3;

std::vector<int64_t> all_channels(const HealthySamples& healthy) {
    std::vector<int64_t> out = healthy.causes;
    out.insert(out.end(), healthy.effects.begin(), healthy.effects.end());
    return out;
}

// Of the lagged vectors of each window, less their mean: a sum over them, divided by their number.
std::vector<float> mean_over_samples(const VectorXd& mean, const MatrixView& windows, int64_t lags,
                                     const std::function<double(const MatrixXd& vectors)>& sum_of_squares) {
    const int64_t channels = mean.size() / (lags + 1);
    CMR_ASSERT(windows.columns % channels == 0 && windows.columns / channels > lags, "windows of the fitted channels");
    std::vector<float> out(windows.rows);
    parallel_for(windows.rows, [&](int64_t i) {
        MatrixXd vectors = lagged(channels_of(windows.row(i), channels), lags);
        vectors.rowwise() -= mean.transpose();
        out[i] = static_cast<float>(sum_of_squares(vectors) / static_cast<double>(vectors.rows()));
    });
    return out;
}

}  // namespace

Pca fit_dynamic_pca(const HealthySamples& healthy, int64_t lags) {
    const std::vector<int64_t> channels = all_channels(healthy);
    const int64_t side = std::ssize(channels) * (lags + 1);
    CMR_ASSERT(side > 1, "a plane, and a direction beside it");
    std::vector<RidgeSums> blocks(kRidgeBlocks, RidgeSums(side, 0));
    for_each_piece(healthy.stretches, lags, [&](int64_t block, const data::SampleRange& piece) {
        const MatrixXd rows = lagged(samples(healthy.dataset, healthy.scaler, channels, piece), lags);
        blocks[block].add(rows, MatrixXd(rows.rows(), 0));
    });
    const Moments moments = moments_of(blocks);
    const SymmetricEigen eigen = symmetric_eigen(moments.covariance);
    const VectorXd variances = eigen.values.reverse().cwiseMax(0.0);
    const auto above = static_cast<int64_t>((variances.array() > variances.mean()).count());
    const int64_t kept = std::clamp<int64_t>(above, 1, side - 1);
    return {to_float_precision(moments.mean),
            to_float_precision(MatrixXd(eigen.vectors.rightCols(kept).rowwise().reverse())),
            to_float_precision(VectorXd(variances.head(kept)))};
}

std::vector<float> dynamic_spe(const Pca& plane, const MatrixView& windows, int64_t lags) {
    return mean_over_samples(plane.mean, windows, lags, [&](const MatrixXd& vectors) {
        return (vectors - product(product(vectors, plane.basis), plane.basis.transpose())).squaredNorm();
    });
}

CanonicalResidual fit_canonical_residual(const HealthySamples& healthy, int64_t lags) {
    const std::vector<int64_t> channels = all_channels(healthy);
    const int64_t past = std::ssize(channels) * (lags + 1), future = std::ssize(healthy.effects) * (lags + 1);
    std::vector<RidgeSums> blocks(kRidgeBlocks, RidgeSums(past + future, 0));
    for_each_piece(healthy.stretches, 2 * lags + 1, [&](int64_t block, const data::SampleRange& piece) {
        const MatrixXd all = samples(healthy.dataset, healthy.scaler, channels, piece);
        const int64_t count = all.cols() - (2 * lags + 1);
        const MatrixXd later = all.bottomRows(std::ssize(healthy.effects)).rightCols(all.cols() - lags - 1);
        MatrixXd rows(count, past + future);
        rows.leftCols(past) = lagged(all.leftCols(all.cols() - lags - 1), lags);
        rows.rightCols(future) = lagged(later, lags);
        blocks[block].add(rows, MatrixXd(count, 0));
    });
    const Moments moments = moments_of(blocks);
    const MatrixXd white = inverse_root(floored(moments.covariance.topLeftCorner(past, past), kFloor));
    const MatrixXd white_future = inverse_root(floored(moments.covariance.bottomRightCorner(future, future), kFloor));
    const MatrixXd across = product(product(white, moments.covariance.topRightCorner(past, future)), white_future);
    const SymmetricEigen eigen = symmetric_eigen(product(across, across.transpose()));
    const VectorXd untold = (1 - eigen.values.array()).max(0.0).sqrt();
    return {to_float_precision(VectorXd(moments.mean.head(past))),
            to_float_precision(MatrixXd(product(MatrixXd(untold.asDiagonal() * eigen.vectors.transpose()), white)))};
}

std::vector<float> canonical_t_squared(const CanonicalResidual& fitted, const MatrixView& windows, int64_t lags) {
    return mean_over_samples(fitted.mean, windows, lags, [&](const MatrixXd& vectors) {
        return product(vectors, fitted.directions.transpose()).squaredNorm();
    });
}

}  // namespace cmr::linear
