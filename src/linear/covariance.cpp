#include "linear/covariance.h"

#include <algorithm>

#include "linear/products.h"
#include "linear/symmetric.h"

namespace cmr::linear {

using Eigen::MatrixXd;

MatrixXd shrunk(const MatrixXd& covariance, double rows) {
    const auto side = static_cast<double>(covariance.rows());
    const double mean = covariance.trace() / side;
    const double square = covariance.squaredNorm() / (side * side);
    const double beyond = (rows + 1) * (square - mean * mean / side);
    const double share = beyond > 0 ? std::min(1.0, (square + mean * mean) / beyond) : 1.0;
    MatrixXd out = (1 - share) * covariance;
    out.diagonal().array() += share * mean;
    return out;
}

MatrixXd floored(const MatrixXd& covariance, double share) {
    MatrixXd out = covariance;
    out.diagonal().array() += share * covariance.trace() / static_cast<double>(covariance.rows());
    return out;
}

MatrixXd inverse_root(const MatrixXd& covariance) {
    const SymmetricEigen eigen = symmetric_eigen(covariance);
    const double least = std::max(1e-6 * eigen.values.mean(), 1e-300);
    const Eigen::VectorXd scale = eigen.values.cwiseMax(least).cwiseSqrt().cwiseInverse();
    return product(MatrixXd(eigen.vectors * scale.asDiagonal()), eigen.vectors.transpose());
}

}  // namespace cmr::linear
