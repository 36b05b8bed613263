#include "linear/pca.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "base/error.h"
#include "linear/rounded.h"
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

Pca fit_pca(const MatrixView& healthy, int64_t components) {
    check_finite(healthy, "PCA");
    if (healthy.rows < 2) throw InputError("PCA: one healthy window, expected at least two");
    CMR_ASSERT(components >= 1, "at least one component");
    const bool many = std::min(healthy.rows, healthy.columns) > kMostRows;
    Eigen::MatrixXd x = many ? as_doubles(evenly_spaced_rows(healthy, kMostRows)) : as_doubles(healthy);
    Pca out{.mean = x.colwise().mean().transpose(), .basis = {}, .variances = {}};
    x.rowwise() -= out.mean.transpose();

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
    for (auto column : out.basis.colwise()) {
        Eigen::Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        if (column(largest) < 0) column = -column;
    }
    return {rounded(out.mean), rounded(out.basis), rounded(out.variances)};
}

}  // namespace cmr::linear
