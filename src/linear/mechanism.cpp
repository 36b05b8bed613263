#include "linear/mechanism.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "linear/float_precision.h"
#include "linear/pca.h"
#include "linear/products.h"
#include "linear/tiles.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using RowMajorMap = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// channels: [channels, length] → [length - lags, channels · (lags + 1)]; row t holds the samples t + lags, t + lags - 1
// … t of the first channel, then of the second.
MatrixXd lagged(const MatrixXd& channels, int64_t lags) {
    const int64_t rows = channels.cols() - lags;
    MatrixXd out(rows, channels.rows() * (lags + 1));
    for (int64_t c = 0; c < channels.rows(); ++c)
        for (int64_t l = 0; l <= lags; ++l)
            out.col(c * (lags + 1) + l) = channels.row(c).segment(lags - l, rows).transpose();
    return out;
}

// [channels, end - begin], z-scored
MatrixXd samples(const data::Recording& recording, const data::Scaler& scaler, const std::vector<int64_t>& channels,
                 int64_t begin, int64_t end) {
    MatrixXd out(static_cast<int64_t>(channels.size()), end - begin);
    for (int64_t c = 0; c < out.rows(); ++c) {
        const auto values = recording.channels[channels[c]].values();
        for (int64_t t = begin; t < end; ++t) out(c, t - begin) = scaler.apply(channels[c], values[t]);
    }
    return out;
}

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
    // Rows that have all their lags, in the order of time; contiguous fifths of them are the blocks.
    int64_t rows = 0;
    for (const data::SampleRange& stretch : healthy) rows += std::max<int64_t>(0, stretch.end - stretch.begin - lags);
    if (rows < kRidgeBlocks)
        throw InputError("linear mechanism: {} healthy samples that have {} samples before them, expected at least {}",
                         rows, lags, kRidgeBlocks);
    std::vector<RidgeSums> blocks(kRidgeBlocks, RidgeSums(causes_ * (lags + 1), effects_));
    parallel_for(kRidgeBlocks, [&](int64_t b) {
        constexpr int64_t kPiece = 4096;
        const int64_t first = first_row_of_block(b, rows), last = first_row_of_block(b + 1, rows);
        int64_t passed = 0;
        for (const data::SampleRange& stretch : healthy) {
            const int64_t count = std::max<int64_t>(0, stretch.end - stretch.begin - lags);
            const int64_t from = std::clamp<int64_t>(first - passed, 0, count);
            const int64_t to = std::clamp<int64_t>(last - passed, 0, count);
            const data::Recording& recording = dataset.recordings[stretch.recording];
            for (int64_t row = from; row < to; row += kPiece) {
                const int64_t begin = stretch.begin + row, end = stretch.begin + std::min(row + kPiece, to) + lags;
                blocks[b].add(lagged(samples(recording, scaler, causes, begin, end), lags),
                              samples(recording, scaler, effects, begin + lags, end).transpose());
            }
            passed += count;
        }
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
        const MatrixXd x = RowMajorMap(causes.row(i).data(), causes_, length).cast<double>();
        const MatrixXd y = RowMajorMap(effects.row(i).data(), effects_, length).cast<double>();
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
        const MatrixXd x = lagged(RowMajorMap(causes.row(i).data(), causes_, length).cast<double>(), lags_).rowwise() -
                           ridge_.input_mean.transpose();
        const auto y = RowMajorMap(effects.row(i).data(), effects_, length).row(effect).cast<double>();
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
