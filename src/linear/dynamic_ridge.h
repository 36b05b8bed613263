#pragma once
// The linear mechanism with memory: effects foretold one sample ahead from lagged causes and from their own past, as
// in system identification. What it leaves is nearly white noise in time; whitened across effects, too, what effects do
// together is no more than it is.
//
//   y[t] ≈ b + Σ_l W_l x[t - l] + Σ_m A_m y[t - m],  l = 0 … lags, m = 1 … lags
//
// The penalty and the deviations come from blocks left out in turn (ridge.h), and so does the covariance, shrunk.

#include "base/matrix.h"
#include "data/scaler.h"
#include "data/windows.h"
#include "linear/ridge.h"

namespace cmr::linear {

class DynamicRidge {
  public:
    // Each sample of the healthy stretches counts once. Causes and effects: channels of the dataset.
    DynamicRidge(const data::Dataset& dataset, const data::Scaler& scaler,
                 const std::vector<data::SampleRange>& healthy, const std::vector<int64_t>& causes,
                 const std::vector<int64_t>& effects, int64_t lags);
    // One that was fitted before.
    DynamicRidge(Ridge ridge, Eigen::MatrixXd whitening, int64_t causes, int64_t effects, int64_t lags)
        : causes_(causes), effects_(effects), lags_(lags), ridge_(std::move(ridge)), whitening_(std::move(whitening)) {}

    const Ridge& ridge() const { return ridge_; }
    const Eigen::MatrixXd& whitening() const { return whitening_; }  // of standardised residuals, symmetric
    int64_t lags() const { return lags_; }
    // Who drives whom, on healthy data: [from, to], how far the past of one effect moves another, |Σ_m A_m|, in units
    // of what is left of the latter.
    Eigen::MatrixXd drives() const;
    // What one effect alone makes of the mean of the white residuals, [effect, residual] each: `equation`, where it
    // answers otherwise than it did, and all else goes on from what it is; `sensor`, where it is only shown elsewhere,
    // so that what is foretold from its past is off, too.
    struct Shifts {
        Eigen::MatrixXd equation, sensor;
    };
    Shifts shifts() const;
    static int64_t inputs(int64_t causes, int64_t effects, int64_t lags) {
        return causes * (lags + 1) + effects * lags;
    }

    // Windows as window_matrix gives them → white residuals [windows, effects · (length - lags)]. The first `lags`
    // samples of a window have none.
    Matrix residuals(const MatrixView& causes, const MatrixView& effects) const;
    // Their mean square, and their mean with its sign: [windows, effects].
    Matrix score(const MatrixView& causes, const MatrixView& effects) const;
    Matrix mean(const MatrixView& causes, const MatrixView& effects) const;

  private:
    Eigen::MatrixXd past() const;  // Σ_m A_m, [from, to]

    int64_t causes_, effects_, lags_;
    Ridge ridge_;
    Eigen::MatrixXd whitening_;
};

}  // namespace cmr::linear
