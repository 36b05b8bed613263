#pragma once
// Covariances that can be inverted.

#include <Eigen/Core>

namespace cmr::linear {

// (1 - s) S + s μ I with μ the mean variance, and s by the closed form of Chen, Wiesel, Eldar and Hero (2010, "oracle
// approximating shrinkage"): the more, the fewer rows and the more alike the eigenvalues.
Eigen::MatrixXd shrunk(const Eigen::MatrixXd& covariance, double rows);

// S + share · μ I, whatever the number of rows: a model that was fitted on a block less makes vectors as white.
// Shrinkage by rows would not, and what is cross-fitted would not be what comes later.
Eigen::MatrixXd floored(const Eigen::MatrixXd& covariance, double share);

// S^(-½), symmetric: of all ways to make vectors white the one that moves them least, so that each number stays with
// its channel. Eigenvalues below 10⁻⁶ of the mean one count as that.
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& covariance);

}  // namespace cmr::linear
