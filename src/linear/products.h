#pragma once
// Matrix products in double through our kernels: Eigen alone would run with the instructions that every CPU has, at a
// seventh of the speed of one with AVX-512. Tiles of the result are computed in parallel, each over all of its terms in
// one fixed order: the bits depend neither on the number of threads nor on the rows and columns beside.

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/matrix.h"

namespace cmr::linear {

// One side of a product: a matrix, a part of one or its transpose, where it lies. For arguments only.
struct Factor {
    const double* data;
    int64_t rows, columns;
    int64_t row, column;  // strides

    template <typename Derived>
    Factor(const Eigen::MatrixBase<Derived>& matrix)
        : data(matrix.derived().data()),
          rows(matrix.rows()),
          columns(matrix.cols()),
          row(matrix.derived().rowStride()),
          column(matrix.derived().colStride()) {}
    Factor transpose() const {
        Factor out = *this;
        std::swap(out.rows, out.columns);
        std::swap(out.row, out.column);
        return out;
    }
};

Eigen::MatrixXd product(const Factor& a, const Factor& b);
void add_product(const Factor& a, const Factor& b, Eigen::MatrixXd& to);
void add_square(const Factor& a, Eigen::MatrixXd& to);  // to += a aᵀ, symmetric to the bit if `to` was

// Rows first … first + count - 1 of float data as doubles, less `origin` [columns]: [count, columns].
Eigen::MatrixXd centred_rows(const MatrixView& rows, int64_t first, int64_t count, const Eigen::VectorXd& origin);
Eigen::VectorXd mean_row(const MatrixView& rows);

// Rows of a large matrix that stand as doubles at a time.
inline int64_t rows_at_once(int64_t columns) { return std::clamp<int64_t>((1 << 22) / (columns + 1), 16, 1024); }

}  // namespace cmr::linear
