#pragma once
// What process control watches where it knows no causes: vectors of all channels, now and some samples before. Fitted
// on healthy samples; a score is the mean over the samples of a window.

#include "base/matrix.h"
#include "data/scaler.h"
#include "data/windows.h"
#include "linear/pca.h"

namespace cmr::linear {

// Healthy samples, and which channels of them: causes, then effects.
struct HealthySamples {
    const data::Dataset& dataset;
    const data::Scaler& scaler;
    std::vector<data::SampleRange> stretches;
    const std::vector<int64_t>& causes;
    const std::vector<int64_t>& effects;
};

// Dynamic principal components (Ku, Storer and Georgakis 1995): the plane of the directions in which lagged vectors
// vary more than in the mean of all (Kaiser's rule). At least one direction is left beside it.
Pca fit_dynamic_pca(const HealthySamples& healthy, int64_t lags);
// Squared distance from it, of windows of causes and effects side by side [windows, channels · length].
std::vector<float> dynamic_spe(const Pca& plane, const MatrixView& windows, int64_t lags);

// Canonical variates (Larimore 1990): directions of the past, in which healthy pasts are white, each with its
// correlation ρ with the effects' next lags + 1 samples. What tells of the future is the machine's state; the rest is
// noise that should not be there, and T² of it is the residual statistic that finds most in comparisons (Russell,
// Chiang and Braatz 2000). There a direction is a state or is none; here each counts by 1 - ρ², what it does not tell,
// so that a model fitted on a little less has nearly the same score.
struct CanonicalResidual {
    Eigen::VectorXd mean;        // of lagged vectors
    Eigen::MatrixXd directions;  // [vector, vector]: to residuals, white but for their weight
};
CanonicalResidual fit_canonical_residual(const HealthySamples& healthy, int64_t lags);
std::vector<float> canonical_t_squared(const CanonicalResidual& fitted, const MatrixView& windows, int64_t lags);

}  // namespace cmr::linear
