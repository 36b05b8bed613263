#include "linear/mechanism.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "linear/float_precision.h"
#include "linear/pca.h"
#include "linear/products.h"
#include "linear/samples.h"
#include "linear/tiles.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;

void check_channels(int64_t causes, int64_t effects) {
    if (causes < 1 || effects < 1)
        throw InputError(
            "linear mechanism: {} cause and {} effect channels move in healthy training data, expected at least one of "
            "each",
            causes, effects);
}

}  // namespace

LaggedRidge::LaggedRidge(const data::Dataset& dataset, const data::Scaler& scaler,
                         const std::vector<data::SampleRange>& healthy, const std::vector<int64_t>& causes,
                         const std::vector<int64_t>& effects, int64_t lags)
    : causes_(std::ssize(causes)), effects_(std::ssize(effects)), lags_(lags) {
    CMR_ASSERT(lags >= 0, "lags look back");
    check_channels(causes_, effects_);
    std::vector<RidgeSums> blocks(kRidgeBlocks, RidgeSums(causes_ * (lags + 1), effects_));
    for_each_piece(healthy, lags, [&](int64_t block, const data::SampleRange& piece) {
        const data::SampleRange now{piece.recording, piece.begin + lags, piece.end};
        blocks[block].add(lagged(samples(dataset, scaler, causes, piece), lags),
                          samples(dataset, scaler, effects, now).transpose());
    });
    ridge_ = fit_ridge(blocks);
}

Matrix LaggedRidge::residuals(const MatrixView& causes, const MatrixView& effects) const {
    const int64_t length = effects.columns / effects_, rows = length - lags_;
    CMR_ASSERT(
        causes.rows == effects.rows && effects.columns == effects_ * length && causes.columns == causes_ * length,
        "windows of the fitted channels");
    if (rows < 1)
        throw InputError("linear mechanism: windows of {} samples, expected more than {} lags", length, lags_);
    Matrix out(effects.rows, effects_ * rows);
    parallel_for(effects.rows, [&](int64_t i) {
        const MatrixXd x = channels_of(causes.row(i), causes_);
        const MatrixXd y = channels_of(effects.row(i), effects_);
        MatrixXd inputs = lagged(x, lags_);
        inputs.rowwise() -= ridge_.input_mean.transpose();
        MatrixXd residual = y.rightCols(rows).transpose() - product(inputs, ridge_.weights);
        residual.rowwise() -= ridge_.output_mean.transpose();
        residual.array().rowwise() /= ridge_.deviation.transpose().array();
        // Column-major [time, effects]: one channel after the other, as in the windows.
        Eigen::Map<Eigen::MatrixXf>(out.row(i).data(), rows, effects_) = residual.cast<float>();
    });
    return out;
}

Matrix LaggedRidge::score(const MatrixView& causes, const MatrixView& effects) const {
    const Matrix residual = residuals(causes, effects);
    const int64_t rows = residual.columns / effects_;
    Matrix out(residual.rows, effects_);
    for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t c = 0; c < effects_; ++c) {
            double sum = 0;
            for (const float value : residual.row(i).subspan(c * rows, rows)) sum += static_cast<double>(value) * value;
            out.row(i)[c] = static_cast<float>(sum / static_cast<double>(rows));
        }
    return out;
}

std::vector<double> LaggedRidge::cause_shares(const MatrixView& causes, const MatrixView& effects,
                                              int64_t effect) const {
    const int64_t length = effects.columns / effects_, rows = length - lags_;
    CMR_ASSERT(causes.rows == effects.rows && causes.columns == causes_ * length && effect < effects_,
               "windows of the fitted channels");
    Eigen::VectorXd residual(effects.rows * rows);
    MatrixXd parts(effects.rows * rows, causes_);  // what the mechanism makes of each cause alone
    for (int64_t i = 0; i < effects.rows; ++i) {
        const MatrixXd x = lagged(channels_of(causes.row(i), causes_), lags_).rowwise() - ridge_.input_mean.transpose();
        const Eigen::RowVectorXd y = channels_of(effects.row(i), effects_).row(effect);
        const Eigen::VectorXd weights = ridge_.weights.col(effect);
        residual.segment(i * rows, rows) =
            y.tail(rows).transpose() - x * weights - Eigen::VectorXd::Constant(rows, ridge_.output_mean(effect));
        for (int64_t c = 0; c < causes_; ++c)
            parts.col(c).segment(i * rows, rows) =
                x.middleCols(c * (lags_ + 1), lags_ + 1) * weights.segment(c * (lags_ + 1), lags_ + 1);
    }
    const double all = std::max(residual.squaredNorm(), 1e-12);
    std::vector<double> out;
    for (int64_t c = 0; c < causes_; ++c) out.push_back(1 - (residual + parts.col(c)).squaredNorm() / all);
    return out;
}

WindowRidge::WindowRidge(const MatrixView& causes, const MatrixView& effects, int64_t effect_channels,
                         int64_t most_inputs, Penalty choice)
    : effects_(effect_channels) {
    CMR_ASSERT(causes.rows == effects.rows, "windows of both sides");
    check_channels(causes.columns > 0 ? 1 : 0, effect_channels);
    CMR_ASSERT(effects.columns % effect_channels == 0, "each channel has the same number of samples");
    if (causes.rows < kRidgeBlocks)
        throw InputError("linear mechanism: {} healthy windows, expected at least {}", causes.rows, kRidgeBlocks);
    check_finite(causes, "causes");
    check_finite(effects, "effects");
    const int64_t rows = causes.rows;
    if (effects.columns > kOutputsAtOnce) most_inputs = std::min(most_inputs, kDirections);
    if (causes.columns > std::min(rows, most_inputs)) {
        const bool many = std::min(rows, causes.columns) > most_inputs;
        const Pca pca = fit_pca(causes, many ? kDirections : rows);
        origin_ = pca.mean;
        basis_ = to_half_precision(pca.basis);
    }
    const bool rotated = origin_.size() > 0;
    const int64_t inputs = rotated ? basis_.cols() : causes.columns;
    const int64_t most = rows_at_once(causes.columns + effects.columns);
    const Eigen::VectorXd origin = rotated ? origin_ : Eigen::VectorXd::Zero(causes.columns);
    const auto sums = [&](int64_t first_output, int64_t outputs) {
        std::vector<RidgeSums> blocks(kRidgeBlocks, RidgeSums(inputs, outputs));
        for (int64_t b = 0; b < kRidgeBlocks; ++b) {
            const int64_t end = first_row_of_block(b + 1, rows);
            for (int64_t first = first_row_of_block(b, rows); first < end; first += most) {
                const int64_t count = std::min(most, end - first);
                MatrixXd x = centred_rows(causes, first, count, origin);
                if (rotated) x = product(x, basis_);
                MatrixXd y(count, outputs);
                for (int64_t i = 0; i < count; ++i)
                    y.row(i) =
                        Eigen::Map<const Eigen::RowVectorXf>(effects.row(first + i).data() + first_output, outputs)
                            .cast<double>();
                blocks[b].add(x, y);
            }
        }
        return blocks;
    };
    ridge_ = fit_ridge(effects.columns, kOutputsAtOnce, sums, choice);
}

Matrix WindowRidge::residuals(const MatrixView& causes, const MatrixView& effects) const {
    const bool rotated = origin_.size() > 0;
    CMR_ASSERT(causes.rows == effects.rows && causes.columns == (rotated ? origin_.size() : ridge_.input_mean.size()) &&
                   effects.columns == ridge_.output_mean.size(),
               "windows of the fitted channels and length");
    Matrix out(effects.rows, effects.columns);
    const Eigen::VectorXd origin = rotated ? origin_ : ridge_.input_mean;
    for_each_group(causes, [&](int64_t first, int64_t count) {
        MatrixXd x = centred_rows(causes, first, count, origin);
        if (rotated) {
            x = product(x, basis_);
            x.rowwise() -= ridge_.input_mean.transpose();
        }
        const MatrixXd predicted = product(ridge_.weights.transpose(), x.transpose());  // [outputs, count]
        for (int64_t i = 0; i < count; ++i) {
            const auto y = effects.row(first + i);
            const auto to = out.row(first + i);
            for (int64_t j = 0; j < effects.columns; ++j)
                to[j] = static_cast<float>(y[j] - predicted(j, i) - ridge_.output_mean(j));
        }
    });
    return out;
}

Matrix WindowRidge::standardised(const MatrixView& residuals) const {
    const int64_t length = residuals.columns / effects_;
    Matrix out(residuals.rows, effects_);
    parallel_for(residuals.rows, [&](int64_t i) {
        for (int64_t c = 0; c < effects_; ++c) {
            double sum = 0;
            for (int64_t j = c * length; j < (c + 1) * length; ++j) {
                const double residual = residuals.row(i)[j] / ridge_.deviation(j);
                sum += residual * residual;
            }
            out.row(i)[c] = static_cast<float>(sum / static_cast<double>(length));
        }
    });
    return out;
}

}  // namespace cmr::linear
