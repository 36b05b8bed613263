// Squared distances between two sets of rows. Included by per-ISA sources.
#pragma once

#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

// One bank row against kCount queries: its loads are shared, and each pair has a chain of its own, so the bits of a
// pair do not depend on its neighbours.
template <int kCount>
CMR_INLINE void distances_to_row(int64_t n, const float* queries, const float* row, float* out, int64_t out_row) {
    Vec sums[kCount] = {};
    const int64_t whole = n - n % kLanes;
    for (int64_t i = 0; i < whole; i += kLanes) {
        const Vec b = load(row + i);
        for (int q = 0; q < kCount; ++q) {
            const Vec d = load(queries + q * n + i) - b;
            sums[q] = d * d + sums[q];
        }
    }
    if (whole < n)
        for (int q = 0; q < kCount; ++q) {
            const Vec d = load_first(queries + q * n + whole, n - whole) - load_first(row + whole, n - whole);
            sums[q] = d * d + sums[q];
        }
    for (int q = 0; q < kCount; ++q) out[q * out_row] = sum(sums[q]);
}

// out[q, r] = Σ (queries[q, i] - bank[r, i])². The differences are taken first, so nothing cancels: the relative error
// is that of a sum of positive numbers.
inline void squared_distances(int64_t queries, int64_t rows, int64_t n, const float* query, const float* bank,
                              float* out) {
    int64_t q = 0;
    for (; q + 8 <= queries; q += 8)
        for (int64_t r = 0; r < rows; ++r)
            distances_to_row<8>(n, query + q * n, bank + r * n, out + q * rows + r, rows);
    for (; q < queries; ++q)
        for (int64_t r = 0; r < rows; ++r)
            distances_to_row<1>(n, query + q * n, bank + r * n, out + q * rows + r, rows);
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
