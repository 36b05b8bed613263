#pragma once
// The linear mechanism: what a ridge regression of the effects on the causes leaves unexplained. Fitted on healthy
// training windows only. The score of a window and an effect channel is the mean square of its residual, standardised
// on healthy data that the fit did not see; that of a window is the mean over the channels (mean_of_rows).

#include "base/matrix.h"
#include "data/scaler.h"
#include "data/windows.h"
#include "linear/ridge.h"

namespace cmr::linear {

// Effect samples from causes now and up to `lags` samples before: y[t] ≈ b + Σ_l W_l x[t - l], l = 0 … lags.
class LaggedRidge {
  public:
    // Each sample of the healthy stretches counts once. Causes and effects: channels of the dataset.
    LaggedRidge(const data::Dataset& dataset, const data::Scaler& scaler, const std::vector<data::SampleRange>& healthy,
                const std::vector<int64_t>& causes, const std::vector<int64_t>& effects, int64_t lags);

    // One that was fitted before.
    LaggedRidge(Ridge ridge, int64_t causes, int64_t effects, int64_t lags)
        : causes_(causes), effects_(effects), lags_(lags), ridge_(std::move(ridge)) {}

    const Ridge& ridge() const { return ridge_; }
    int64_t lags() const { return lags_; }

    // causes [windows, causes · length], effects [windows, effects · length], as window_matrix gives them →
    // standardised residuals [windows, effects · (length - lags)]. The first `lags` samples of a window have none.
    Matrix residuals(const MatrixView& causes, const MatrixView& effects) const;
    Matrix score(const MatrixView& causes, const MatrixView& effects) const;  // [windows, effects]

    // Which cause an effect no longer answers. With r the residual of the effect over all windows, and y_c what the
    // mechanism makes of cause c alone: an effect that stopped answering c leaves r = -y_c, so the share of c is
    // 1 - Σ (r + y_c)² / Σ r². One number per cause.
    std::vector<double> cause_shares(const MatrixView& causes, const MatrixView& effects, int64_t effect) const;

  private:
    int64_t causes_, effects_, lags_;
    Ridge ridge_;
};

// All effect samples of a window from all cause samples of it, before and after: for cycles that begin at the same
// moment, or any windows short enough to have many of them. More inputs than windows are first expressed in an
// orthonormal basis of the windows, which changes nothing but the cost (the dual form). More than `most_inputs` are
// expressed by their leading kDirections components instead, which leaves out what the causes hardly do.
// Sums over more than kOutputsAtOnce samples of effects would take too much memory; then some of them are fitted at a
// time, and more than kDirections inputs are too many.
inline constexpr int64_t kMostInputs = 512;
inline constexpr int64_t kDirections = 128;
inline constexpr int64_t kOutputsAtOnce = 16384;
class WindowRidge {
  public:
    // As window_matrix gives them, in the order of time.
    WindowRidge(const MatrixView& causes, const MatrixView& effects, int64_t effect_channels,
                int64_t most_inputs = kMostInputs, Penalty choice = Penalty::kLeftOut);
    // One that was fitted before.
    WindowRidge(Ridge ridge, Eigen::VectorXd origin, Eigen::MatrixXd basis, int64_t effect_channels)
        : effects_(effect_channels), origin_(std::move(origin)), basis_(std::move(basis)), ridge_(std::move(ridge)) {}

    const Ridge& ridge() const { return ridge_; }
    const Eigen::VectorXd& origin() const { return origin_; }
    const Eigen::MatrixXd& basis() const { return basis_; }

    Matrix residuals(const MatrixView& causes, const MatrixView& effects) const;  // as effects are
    // The mean square of residuals, each in its healthy deviation [windows, effects].
    Matrix standardised(const MatrixView& residuals) const;
    Matrix score(const MatrixView& causes, const MatrixView& effects) const {
        return standardised(residuals(causes, effects));
    }

  private:
    int64_t effects_;
    Eigen::VectorXd origin_;  // of the basis
    Eigen::MatrixXd basis_;   // [cause samples, inputs]; empty: the inputs are the cause samples
    Ridge ridge_;
};

}  // namespace cmr::linear
