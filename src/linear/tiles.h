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

// body(first row, rows), in parallel, for products of linear/products.h, whose bits do not depend on the rows beside.
template <typename Body>
void for_each_group(const MatrixView& rows, const Body& body) {
    constexpr int64_t kGroup = 64;  // a factor of the product is packed once for so many
    parallel_for((rows.rows + kGroup - 1) / kGroup, [&](int64_t index) {
        const int64_t first = index * kGroup;
        body(first, std::min(kGroup, rows.rows - first));
    });
}

}  // namespace cmr::linear
