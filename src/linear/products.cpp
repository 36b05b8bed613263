#include "linear/products.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using kernels::kDoubleTile;

// Tile (i, j) of `to` (+)= a b. An Eigen matrix is column-major and the kernel writes rows: it gets bᵀ aᵀ.
void tile(const Factor& a, const Factor& b, int64_t i, int64_t j, MatrixXd& to, bool accumulate) {
    const int64_t row = i * kDoubleTile, column = j * kDoubleTile;
    kernels::kernels().gemm_double(std::min(kDoubleTile, b.columns - column), std::min(kDoubleTile, a.rows - row),
                                   a.columns, {b.data + column * b.column, b.column, b.row},
                                   {a.data + row * a.row, a.column, a.row}, to.data() + column * to.rows() + row,
                                   to.rows(), accumulate);
}

int64_t tiles(int64_t count) { return (count + kDoubleTile - 1) / kDoubleTile; }

void multiply(const Factor& a, const Factor& b, MatrixXd& to, bool accumulate) {
    CMR_ASSERT(a.columns == b.rows && to.rows() == a.rows && to.cols() == b.columns, "factors of one product");
    const int64_t down = tiles(a.rows), across = tiles(b.columns);
    if (a.columns == 0 && !accumulate) to.setZero();
    parallel_for(down * across, [&](int64_t task) { tile(a, b, task % down, task / down, to, accumulate); });
}

}  // namespace

MatrixXd product(const Factor& a, const Factor& b) {
    MatrixXd out(a.rows, b.columns);
    multiply(a, b, out, false);
    return out;
}

void add_product(const Factor& a, const Factor& b, MatrixXd& to) { multiply(a, b, to, true); }

void add_square(const Factor& a, MatrixXd& to) {
    CMR_ASSERT(to.rows() == a.rows && to.cols() == a.rows, "a square of its rows");
    const Factor b = a.transpose();
    const int64_t side = tiles(a.rows);
    parallel_for(side * (side + 1) / 2, [&](int64_t task) {
        int64_t i = 0;  // task = i (i + 1) / 2 + j
        while ((i + 1) * (i + 2) / 2 <= task) ++i;
        const int64_t j = task - i * (i + 1) / 2;
        tile(a, b, i, j, to, true);
        const int64_t rows = std::min(kDoubleTile, a.rows - i * kDoubleTile);
        const int64_t columns = std::min(kDoubleTile, a.rows - j * kDoubleTile);
        if (i == j)
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t c = r + 1; c < rows; ++c)
                    to(i * kDoubleTile + r, i * kDoubleTile + c) = to(i * kDoubleTile + c, i * kDoubleTile + r);
        else
            to.block(j * kDoubleTile, i * kDoubleTile, columns, rows) =
                to.block(i * kDoubleTile, j * kDoubleTile, rows, columns).transpose();
    });
}

MatrixXd centred_rows(const MatrixView& rows, int64_t first, int64_t count, const Eigen::VectorXd& origin) {
    MatrixXd out(count, rows.columns);
    constexpr int64_t kBlock = 64;  // columns: rows are read in pieces of a few cache lines, columns written whole
    parallel_for((rows.columns + kBlock - 1) / kBlock, [&](int64_t block) {
        const int64_t begin = block * kBlock, end = std::min(begin + kBlock, rows.columns);
        for (int64_t i = 0; i < count; ++i) {
            const float* from = rows.data + (first + i) * rows.columns;
            for (int64_t c = begin; c < end; ++c) out(i, c) = from[c] - origin(c);
        }
    });
    return out;
}

Eigen::VectorXd mean_row(const MatrixView& rows) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(rows.columns);
    constexpr int64_t kBlock = 256;
    parallel_for((rows.columns + kBlock - 1) / kBlock, [&](int64_t block) {
        const int64_t begin = block * kBlock, end = std::min(begin + kBlock, rows.columns);
        for (int64_t i = 0; i < rows.rows; ++i)
            for (int64_t c = begin; c < end; ++c) sum(c) += rows.data[i * rows.columns + c];
    });
    return sum / static_cast<double>(rows.rows);
}

}  // namespace cmr::linear
