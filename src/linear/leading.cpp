#include "linear/leading.h"

#include <Eigen/QR>
#include <algorithm>

#include "base/error.h"
#include "base/rng.h"
#include "linear/products.h"
#include "linear/symmetric.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;

constexpr int64_t kBlock = 32;  // vectors that the matrix is applied to at a time
constexpr double kResidual = 1e-12;

// An orthonormal basis of the columns.
MatrixXd orthonormal(const MatrixXd& columns) {
    return Eigen::HouseholderQR<MatrixXd>(columns).householderQ() * MatrixXd::Identity(columns.rows(), columns.cols());
}

// Takes out of `block` what lies in the space.
void take_out(const MatrixXd& space, MatrixXd& block) { block -= product(space, product(space.transpose(), block)); }

}  // namespace

Leading leading_eigenpairs(int64_t side, int64_t count, const std::function<MatrixXd(const MatrixXd&)>& apply) {
    CMR_ASSERT(count >= 1 && count <= side, "as many as there are, at most");
    Rng rng(1);
    MatrixXd block(side, std::min(kBlock, side));
    for (double& value : block.reshaped()) value = rng.normal();
    block = orthonormal(block);

    MatrixXd space(side, 0), inside(0, 0);  // an orthonormal basis Q, and Qᵀ A Q
    for (int64_t look = count + kBlock;;) {
        const int64_t before = space.cols(), width = block.cols(), size = before + width;
        space.conservativeResize(Eigen::NoChange, size);
        space.rightCols(width) = block;
        MatrixXd next = apply(block);
        inside.conservativeResize(size, size);
        inside.rightCols(width) = product(space.transpose(), next);
        inside.bottomLeftCorner(width, before) = inside.topRightCorner(before, width).transpose();

        // The next block, orthogonal to all before it; twice, because the first time leaves rounding behind that is
        // large beside a small remainder.
        const MatrixXd image = next;
        for (int turn = 0; turn < 2; ++turn) {
            take_out(space, next);
            next = orthonormal(next);
        }
        take_out(space, next);
        const bool whole = size == side;
        if (size >= std::min(look, side)) {
            const SymmetricEigen eigen = symmetric_eigen(inside);
            const MatrixXd chosen = eigen.vectors.rightCols(count).rowwise().reverse();
            // A Q = Q inside + next (nextᵀ A block) in the last block of columns, so this is what a pair lacks.
            const MatrixXd beyond = product(next.transpose(), image) * chosen.bottomRows(width);
            const double largest = std::max(eigen.values(size - 1), 1e-300);
            if (whole || beyond.colwise().norm().maxCoeff() <= kResidual * largest)
                return {eigen.values.tail(count).reverse(), product(space, chosen)};
            look = size + std::max(kBlock, size / 4);
        }
        block = next.leftCols(std::min(width, side - size));
    }
}

}  // namespace cmr::linear
