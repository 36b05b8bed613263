#pragma once
// Rows as doubles, in tiles of one shape: matrix products that are exact enough, and batch-independent.

#include <Eigen/Core>
#include <algorithm>

#include "base/matrix.h"
#include "base/parallel.h"

namespace cmr::linear {

inline constexpr int64_t kTile = 8;

// body(first row, rows in it, tile [features, kTile]), in parallel. The last tile is filled up with zeros: a product
// with a tile always has the same shape, so it gives a row the same bits whatever stands beside it.
template <typename Body>
void for_each_tile(const MatrixView& rows, const Body& body) {
    parallel_for((rows.rows + kTile - 1) / kTile, [&](int64_t index) {
        const int64_t first = index * kTile, count = std::min(kTile, rows.rows - first);
        Eigen::MatrixXd tile = Eigen::MatrixXd::Zero(rows.columns, kTile);
        for (int64_t i = 0; i < count; ++i)
            tile.col(i) = Eigen::Map<const Eigen::VectorXf>(rows.row(first + i).data(), rows.columns).cast<double>();
        body(first, count, tile);
    });
}

// [rows, features]
inline Eigen::MatrixXd as_doubles(const MatrixView& rows) {
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(rows.data, rows.rows, rows.columns).cast<double>();
}

}  // namespace cmr::linear
