#include "linear/symmetric.h"

#include <Eigen/Eigenvalues>

namespace cmr::linear {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

}  // namespace cmr::linear
