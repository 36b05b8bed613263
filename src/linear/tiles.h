#pragma once
// Rows in groups, in parallel.

#include <algorithm>

#include "base/matrix.h"
#include "base/parallel.h"

namespace cmr::linear {

// body(first row, rows) for products of linear/products.h, whose bits do not depend on the rows beside.
template <typename Body>
void for_each_group(const MatrixView& rows, const Body& body) {
    constexpr int64_t kGroup = 64;  // a factor of the product is packed once for so many
    parallel_for((rows.rows + kGroup - 1) / kGroup, [&](int64_t index) {
        const int64_t first = index * kGroup;
        body(first, std::min(kGroup, rows.rows - first));
    });
}

}  // namespace cmr::linear
