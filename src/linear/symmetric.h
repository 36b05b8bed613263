#pragma once
// Eigenvalues of symmetric matrices. In one place, because the solver takes long to compile.
//
// Householder reflections make the matrix tridiagonal, QR steps with Wilkinson's shift make that diagonal (Golub and
// Van Loan, Matrix Computations, 8.3). Nearly all of the time would go into turning the vectors with it; so the
// rotations of many steps are kept, and applied by a kernel to a few rows at a time, which stay in cache.

#include <Eigen/Core>

namespace cmr::linear {

struct SymmetricEigen {
    Eigen::VectorXd values;   // ascending
    Eigen::MatrixXd vectors;  // a column for each
};

// Of its lower triangle. The bits do not depend on the number of threads.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

}  // namespace cmr::linear
