#pragma once
// Principal components of healthy vectors.

#include <Eigen/Core>

#include "base/matrix.h"

namespace cmr::linear {

struct Pca {
    Eigen::VectorXd mean;       // [features]
    Eigen::MatrixXd basis;      // [features, components], orthonormal; the largest entry of each is positive
    Eigen::VectorXd variances;  // [components], descending; of the population

    int64_t components() const { return basis.cols(); }

    // [rows, features] → [rows, components]
    Matrix transform(const MatrixView& rows) const;
};

// `components` is cut to what the rows span. All are exact (leading.h); where many are wanted of large data, those of
// evenly spaced rows (kMostRows).
Pca fit_pca(const MatrixView& healthy, int64_t components);

}  // namespace cmr::linear
