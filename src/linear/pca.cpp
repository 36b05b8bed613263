#include "linear/pca.h"

#include <algorithm>

#include "base/error.h"
#include "linear/float_precision.h"
#include "linear/leading.h"
#include "linear/products.h"
#include "linear/symmetric.h"
#include "linear/tiles.h"

namespace cmr::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Matrix Pca::transform(const MatrixView& rows) const {
    if (rows.columns != mean.size())
        throw InputError("PCA was fitted on {} features, not {}", mean.size(), rows.columns);
    Matrix out(rows.rows, components());
    for_each_group(rows, [&](int64_t first, int64_t count) {
        const MatrixXd parts = product(centred_rows(rows, first, count, mean), basis);
        for (int64_t i = 0; i < count; ++i)
            for (int64_t c = 0; c < parts.cols(); ++c) out.row(first + i)[c] = static_cast<float>(parts(i, c));
    });
    return out;
}

namespace {

// Up to this side all eigenvectors are found at once, which takes the cube of it.
constexpr int64_t kExactSide = 512;
// Up to this side the matrix of products is made once; beyond, it is cheaper to multiply by the rows again and again.
constexpr int64_t kGramSide = 2048;

// The largest entry of each component is positive, and numbers are as a file keeps them.
Pca finished(Pca out) {
    for (auto column : out.basis.colwise()) {
        Eigen::Index largest = 0;
        column.cwiseAbs().maxCoeff(&largest);
        if (column(largest) < 0) column = -column;
    }
    return {to_float_precision(out.mean), to_float_precision(out.basis), to_float_precision(out.variances)};
}

// Rows of floats, centred, of which only a few stand as doubles at a time.
class Centred {
  public:
    Centred(const MatrixView& rows, const VectorXd& mean) : rows_(rows), mean_(mean) {}

    // Xᵀ X
    MatrixXd gram() const {
        MatrixXd out = MatrixXd::Zero(rows_.columns, rows_.columns);
        for_each_piece([&](int64_t, const MatrixXd& x) { add_square(x.transpose(), out); });
        return out;
    }
    // X Xᵀ, of fewer rows than columns
    MatrixXd dual_gram() const {
        MatrixXd out = MatrixXd::Zero(rows_.rows, rows_.rows);
        constexpr int64_t kColumns = 1024;
        for (int64_t begin = 0; begin < rows_.columns; begin += kColumns) {
            const int64_t count = std::min(kColumns, rows_.columns - begin);
            MatrixXd x(rows_.rows, count);
            for (int64_t i = 0; i < rows_.rows; ++i)
                x.row(i) = Eigen::Map<const Eigen::RowVectorXf>(rows_.row(i).data() + begin, count).cast<double>() -
                           mean_.segment(begin, count).transpose();
            add_square(x, out);
        }
        return out;
    }
    MatrixXd times(const MatrixXd& y) const {  // X Y
        MatrixXd out(rows_.rows, y.cols());
        for_each_piece([&](int64_t first, const MatrixXd& x) { out.middleRows(first, x.rows()) = product(x, y); });
        return out;
    }
    MatrixXd transposed_times(const MatrixXd& y) const {  // Xᵀ Y
        MatrixXd out = MatrixXd::Zero(rows_.columns, y.cols());
        for_each_piece(
            [&](int64_t first, const MatrixXd& x) { add_product(x.transpose(), y.middleRows(first, x.rows()), out); });
        return out;
    }

  private:
    template <typename Body>
    void for_each_piece(const Body& body) const {
        const int64_t some = rows_at_once(rows_.columns);
        for (int64_t first = 0; first < rows_.rows; first += some)
            body(first, centred_rows(rows_, first, std::min(some, rows_.rows - first), mean_));
    }

    const MatrixView& rows_;
    const VectorXd& mean_;
};

// The leading eigenpairs of Xᵀ X, or of X Xᵀ if `dual`: the smaller of the two.
Leading eigenpairs(const Centred& x, int64_t side, bool dual, int64_t components) {
    if (side > kGramSide)
        return leading_eigenpairs(side, components, [&](const MatrixXd& y) {
            return dual ? x.times(x.transposed_times(y)) : x.transposed_times(x.times(y));
        });
    const MatrixXd gram = dual ? x.dual_gram() : x.gram();
    if (side > kExactSide)
        return leading_eigenpairs(side, components, [&](const MatrixXd& y) { return product(gram, y); });
    const SymmetricEigen eigen = symmetric_eigen(gram);
    return {eigen.values.tail(components).reverse(), eigen.vectors.rightCols(components).rowwise().reverse()};
}

}  // namespace

Pca fit_pca(const MatrixView& healthy, int64_t components) {
    check_finite(healthy, "PCA");
    if (healthy.rows < 2) throw InputError("PCA: one healthy window, expected at least two");
    CMR_ASSERT(components >= 1, "at least one component");
    // The more are wanted, the nearer the cost is to the cube of the smaller side.
    const bool large = std::min(healthy.rows, healthy.columns) > kExactSide;
    const bool few = 4 * components < kExactSide;
    Matrix chosen;
    MatrixView rows = healthy;
    if (large && !few && healthy.rows > kMostRows) rows = chosen = evenly_spaced_rows(healthy, kMostRows);

    // X = U S Vᵀ: V from the eigenvectors of XᵀX, or V = Xᵀ U / S from those of X Xᵀ, whichever is smaller.
    Pca out{.mean = mean_row(rows), .basis = {}, .variances = {}};
    const Centred x(rows, out.mean);
    const bool dual = rows.columns > rows.rows;
    const int64_t side = std::min(rows.rows, rows.columns);
    Leading pairs = eigenpairs(x, side, dual, std::min(components, side));
    const double least = 1e-12 * std::max(pairs.values(0), 1e-300);
    const auto kept = static_cast<int64_t>((pairs.values.array() > least).count());
    out.variances = pairs.values.head(kept) / static_cast<double>(rows.rows);
    out.basis = pairs.vectors.leftCols(kept);
    if (dual && kept > 0) {
        out.basis = x.transposed_times(out.basis);
        out.basis.colwise().normalize();
    }
    return finished(std::move(out));
}

}  // namespace cmr::linear
