#pragma once
// Eigenvalues of symmetric matrices. In one place, because the solver takes long to compile.

#include <Eigen/Core>

namespace cmr::linear {

struct SymmetricEigen {
    Eigen::VectorXd values;   // ascending
    Eigen::MatrixXd vectors;  // a column for each
};

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

}  // namespace cmr::linear
