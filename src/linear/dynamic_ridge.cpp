#include "linear/dynamic_ridge.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "linear/covariance.h"
#include "linear/float_precision.h"
#include "linear/products.h"
#include "linear/samples.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// [rows, inputs] of both sides of a window or a stretch.
MatrixXd inputs_of(const MatrixXd& causes, const MatrixXd& effects, int64_t lags) {
    const int64_t length = effects.cols();
    MatrixXd out(length - lags, DynamicRidge::inputs(causes.rows(), effects.rows(), lags));
    const int64_t from_causes = causes.rows() * (lags + 1);
    out.leftCols(from_causes) = lagged(causes, lags);
    if (lags > 0) out.rightCols(effects.rows() * lags) = lagged(effects.leftCols(length - 1), lags - 1);
    return out;
}

// Sums over inputs and outputs side by side, taken apart.
RidgeSums taken_apart(const RidgeSums& joint, int64_t inputs) {
    const int64_t outputs = joint.x.size() - inputs;
    RidgeSums out;
    out.rows = joint.rows;
    out.x = joint.x.head(inputs);
    out.y = joint.x.tail(outputs);
    out.yy = joint.xx.diagonal().tail(outputs);
    out.xx = joint.xx.topLeftCorner(inputs, inputs);
    out.xy = joint.xx.topRightCorner(inputs, outputs);
    return out;
}

// Of the residuals of each block by a fit on the others. With z inputs and outputs side by side, r = Dᵀ (z - mean),
// D = [-W; I].
MatrixXd left_out_covariance(const std::vector<RidgeSums>& joint, int64_t inputs, double penalty) {
    RidgeSums all = joint.front();
    for (size_t b = 1; b < joint.size(); ++b) all += joint[b];
    const int64_t outputs = all.x.size() - inputs;
    MatrixXd out = MatrixXd::Zero(outputs, outputs);
    for (const RidgeSums& block : joint) {
        RidgeSums rest = all, test = block;
        rest -= block;
        const VectorXd mean = rest.x / rest.rows;
        rest.move_origin(mean, VectorXd());
        test.move_origin(mean, VectorXd());
        MatrixXd square = rest.xx.topLeftCorner(inputs, inputs);
        square.diagonal().array() += rest.rows * penalty;
        MatrixXd leaves(inputs + outputs, outputs);
        leaves.topRows(inputs) = -square.llt().solve(rest.xx.topRightCorner(inputs, outputs));
        leaves.bottomRows(outputs).setIdentity();
        out += product(leaves.transpose(), product(test.xx, leaves));
    }
    return out / all.rows;
}

// [windows, effects]: a number of each channel's residuals.
template <typename Number>
Matrix of_each_channel(const Matrix& residuals, int64_t effects, const Number& number) {
    const int64_t rows = residuals.columns / effects;
    Matrix out(residuals.rows, effects);
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < effects; ++c) {
            double sum = 0;
            for (const float value : residuals.row(i).subspan(c * rows, rows)) sum += number(value);
            out.row(i)[c] = static_cast<float>(sum / static_cast<double>(rows));
        }
    return out;
}

}  // namespace

DynamicRidge::DynamicRidge(const data::Dataset& dataset, const data::Scaler& scaler,
                           const std::vector<data::SampleRange>& healthy, const std::vector<int64_t>& causes,
                           const std::vector<int64_t>& effects, int64_t lags)
    : causes_(std::ssize(causes)), effects_(std::ssize(effects)), lags_(lags) {
    CMR_ASSERT(causes_ > 0 && effects_ > 0 && lags >= 0, "both sides, and lags look back");
    const int64_t side = inputs(causes_, effects_, lags);
    std::vector<RidgeSums> joint(kRidgeBlocks, RidgeSums(side + effects_, 0));
    for_each_piece(healthy, lags, [&](int64_t block, const data::SampleRange& piece) {
        const MatrixXd x = samples(dataset, scaler, causes, piece), y = samples(dataset, scaler, effects, piece);
        MatrixXd rows(y.cols() - lags, side + effects_);
        rows.leftCols(side) = inputs_of(x, y, lags);
        rows.rightCols(effects_) = y.rightCols(rows.rows()).transpose();
        joint[block].add(rows, MatrixXd(rows.rows(), 0));
    });
    std::vector<RidgeSums> blocks;
    for (const RidgeSums& block : joint) blocks.push_back(taken_apart(block, side));
    ridge_ = fit_ridge(blocks);

    const VectorXd scale = ridge_.deviation.cwiseInverse();
    MatrixXd correlation = scale.asDiagonal() * left_out_covariance(joint, side, ridge_.penalty) * scale.asDiagonal();
    correlation.diagonal().setOnes();  // less where the deviation is the least there may be
    double rows = 0;
    for (const RidgeSums& block : blocks) rows += block.rows;
    whitening_ = to_float_precision(inverse_root(shrunk(correlation, rows)));
}

MatrixXd DynamicRidge::past() const {
    MatrixXd out(effects_, effects_);
    const auto own = ridge_.weights.bottomRows(effects_ * lags_);
    for (int64_t from = 0; from < effects_; ++from)
        for (int64_t to = 0; to < effects_; ++to) out(from, to) = own.col(to).segment(from * lags_, lags_).sum();
    return out;
}

MatrixXd DynamicRidge::drives() const { return past().cwiseAbs() * ridge_.deviation.cwiseInverse().asDiagonal(); }

DynamicRidge::Shifts DynamicRidge::shifts() const {
    const MatrixXd white = ridge_.deviation.cwiseInverse().asDiagonal() * whitening_;
    const MatrixXd left = MatrixXd::Identity(effects_, effects_) - past();
    return {white, product(left, white)};
}

Matrix DynamicRidge::residuals(const MatrixView& causes, const MatrixView& effects) const {
    const int64_t length = effects.columns / effects_, rows = length - lags_;
    CMR_ASSERT(
        causes.rows == effects.rows && effects.columns == effects_ * length && causes.columns == causes_ * length,
        "windows of the fitted channels");
    if (rows < 1) throw InputError("dynamic mechanism: windows of {} samples, expected more than {}", length, lags_);
    Matrix out(effects.rows, effects_ * rows);
    parallel_for(effects.rows, [&](int64_t i) {
        const MatrixXd x = channels_of(causes.row(i), causes_), y = channels_of(effects.row(i), effects_);
        MatrixXd inputs = inputs_of(x, y, lags_);
        inputs.rowwise() -= ridge_.input_mean.transpose();
        MatrixXd left = y.rightCols(rows).transpose() - product(inputs, ridge_.weights);
        left.rowwise() -= ridge_.output_mean.transpose();
        left.array().rowwise() /= ridge_.deviation.transpose().array();
        // Column-major [time, effects]: one channel after the other, as in the windows.
        Eigen::Map<Eigen::MatrixXf>(out.row(i).data(), rows, effects_) = product(left, whitening_).cast<float>();
    });
    return out;
}

Matrix DynamicRidge::score(const MatrixView& causes, const MatrixView& effects) const {
    return of_each_channel(residuals(causes, effects), effects_,
                           [](float value) { return static_cast<double>(value) * value; });
}

Matrix DynamicRidge::mean(const MatrixView& causes, const MatrixView& effects) const {
    return of_each_channel(residuals(causes, effects), effects_, [](float value) { return value; });
}

}  // namespace cmr::linear
