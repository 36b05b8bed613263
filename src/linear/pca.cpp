#include "linear/pca.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

#include "base/error.h"
#include "base/rng.h"
#include "linear/float_precision.h"
#include "linear/tiles.h"

namespace cmr::linear {

Matrix Pca::transform(const MatrixView& rows) const {
    if (rows.columns != mean.size())
        throw InputError("PCA was fitted on {} features, not {}", mean.size(), rows.columns);
    Matrix out(rows.rows, components());
    for_each_tile(rows, [&](int64_t first, int64_t count, Eigen::MatrixXd& tile) {
        tile.colwise() -= mean;
        const Eigen::MatrixXf parts = (basis.transpose() * tile).cast<float>();
        for (int64_t i = 0; i < count; ++i) std::copy_n(parts.col(i).data(), parts.rows(), out.row(first + i).data());
    });
    return out;
}

namespace {

constexpr int64_t kExactSide = 512;

// The largest entry of each component is positive, and numbers are as a file keeps them.
Pca finished(Pca out) {
    for (auto column : out.basis.colwise()) {
        Eigen::Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        if (column(largest) < 0) column = -column;
    }
    return {to_float_precision(out.mean), to_float_precision(out.basis), to_float_precision(out.variances)};
}

// The leading right singular vectors and squared singular values of x, by power iteration on a block of directions
// (Halko, Martinsson, Tropp 2011). The directions start at fixed draws, so the same rows give the same bits.
void leading_directions(const Eigen::MatrixXd& x, int64_t count, Eigen::MatrixXd& basis, Eigen::VectorXd& squares) {
    constexpr int64_t kMore = 16;  // directions beside those wanted, which make the last of those converge
    constexpr int kRounds = 8;
    Rng rng(1);
    Eigen::MatrixXd y(x.cols(), count + kMore);
    for (double& value : y.reshaped()) value = rng.normal();
    for (int round = 0; round < kRounds; ++round) {
        y = (x.transpose() * (x * y)).eval();
        y = Eigen::HouseholderQR<Eigen::MatrixXd>(y).householderQ() * Eigen::MatrixXd::Identity(y.rows(), y.cols());
    }
    const Eigen::MatrixXd projected = x * y;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(projected.transpose() * projected);
    squares = eigen.eigenvalues().reverse().head(count);
    basis = y * eigen.eigenvectors().rowwise().reverse().leftCols(count);
}

}  // namespace

Pca fit_pca(const MatrixView& healthy, int64_t components) {
    check_finite(healthy, "PCA");
    if (healthy.rows < 2) throw InputError("PCA: one healthy window, expected at least two");
    CMR_ASSERT(components >= 1, "at least one component");
    // What is exact takes the cube of the smaller side.
    const bool large = std::min(healthy.rows, healthy.columns) > kExactSide;
    const bool few = 4 * components < kExactSide;
    Eigen::MatrixXd x = large && !few ? as_doubles(evenly_spaced_rows(healthy, kMostRows)) : as_doubles(healthy);
    Pca out{.mean = x.colwise().mean().transpose(), .basis = {}, .variances = {}};
    x.rowwise() -= out.mean.transpose();
    if (large && few) {
        Eigen::VectorXd squares;
        leading_directions(x, components, out.basis, squares);
        out.variances = squares / static_cast<double>(x.rows());
        return finished(std::move(out));
    }

    // X = U S Vᵀ: V from the eigenvectors of XᵀX, or V = Xᵀ U / S from those of X Xᵀ, whichever is smaller.
    const bool dual = x.cols() > x.rows();
    const Eigen::MatrixXd gram = dual ? Eigen::MatrixXd(x * x.transpose()) : Eigen::MatrixXd(x.transpose() * x);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
    const Eigen::VectorXd squares = eigen.eigenvalues().reverse();  // S², descending
    const double least = 1e-12 * std::max(squares(0), 1e-300);
    const auto rank = static_cast<int64_t>((squares.array() > least).count());
    const int64_t kept = std::min(components, rank);
    out.variances = squares.head(kept) / static_cast<double>(x.rows());
    out.basis = eigen.eigenvectors().rowwise().reverse().leftCols(kept);
    if (dual) {
        out.basis = (x.transpose() * out.basis).eval();
        out.basis.colwise().normalize();
    }
    return finished(std::move(out));
}

}  // namespace cmr::linear
