#pragma once
// The largest eigenvalues of a large symmetric matrix and their vectors, where few of all are wanted.

#include <Eigen/Core>
#include <functional>

namespace cmr::linear {

struct Leading {
    Eigen::VectorXd values;   // descending
    Eigen::MatrixXd vectors;  // [side, values], orthonormal
};

// `apply` multiplies a symmetric matrix of `side` rows, with no negative eigenvalues, with a block of vectors. Each
// pair is exact to |A v - λ v| ≤ 1e-12 of the largest eigenvalue. Block Lanczos with full orthogonalisation (Golub and
// Van Loan, Matrix Computations, 10.3): the space of a fixed start, A times it, A² times it … grows until the pairs in
// it are those of the matrix, at worst to all of it.
Leading leading_eigenpairs(int64_t side, int64_t count,
                           const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& apply);

}  // namespace cmr::linear
