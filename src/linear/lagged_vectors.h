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
    const std::vector<data::SampleRange>& stretches;
    const std::vector<int64_t>& causes;
    const std::vector<int64_t>& effects;
};

// Dynamic principal components (Ku, Storer and Georgakis 1995): the plane of the directions in which lagged vectors
// vary more than in the mean of all (Kaiser's rule). At least one direction is left beside it.
Pca fit_dynamic_pca(const HealthySamples& healthy, int64_t lags);
// Squared distance from it, of windows of causes and effects side by side [windows, channels · length].
std::vector<float> dynamic_spe(const Pca& plane, const MatrixView& windows, int64_t lags);

// Canonical variates (Larimore 1990): directions of the past, in which healthy pasts are white, ordered by how much
// they tell of the effects' next lags + 1 samples. The states are those whose correlation with the future is above
// `correlation`; the others are noise that should not be there, and T² of them is the residual statistic that finds
// most in comparisons (Russell, Chiang and Braatz 2000).
struct CanonicalResidual {
    Eigen::VectorXd mean;        // of lagged vectors
    Eigen::MatrixXd directions;  // [vector, vector]: to white residuals
};
CanonicalResidual fit_canonical_residual(const HealthySamples& healthy, int64_t lags, double correlation);
std::vector<float> canonical_t_squared(const CanonicalResidual& fitted, const MatrixView& windows, int64_t lags);

}  // namespace cmr::linear
