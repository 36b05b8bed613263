// Matrix products at the speed of the multiply-add units: C (+)= A · B, where A is read with any two strides (plain,
// transposed, or the overlapping rows of a convolution) and B comes packed in panels of kPanel columns.
#pragma once

#if defined(CMR_PRODUCT_PARTS)
#include "kernels/gemm_bf16.inl"
#else

#include "kernels/kernels.h"
#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

// A tile of kRows × kPanelVecs vectors of C stays in registers: 12 of 16, or 24 of 32.
inline constexpr int kRows = kLanes == 16 ? 8 : 6;
inline constexpr int kPanelVecs = kLanes == 16 ? 3 : 2;
inline constexpr int kPanel = kPanelVecs * kLanes;
inline constexpr int64_t kDepth = 256;  // rows of B worked on at once: a panel of them fits in the first-level cache

// Vectors that the panel starting at `column` of n has: the last one may be narrower.
CMR_INLINE int64_t panel_vecs(int64_t n, int64_t column) {
    const int64_t left = (n - column + kLanes - 1) / kLanes;
    return left < kPanelVecs ? left : kPanelVecs;
}
// Floats that a packed [k, n] matrix takes.
CMR_INLINE int64_t packed_size(int64_t k, int64_t n) { return (n + kLanes - 1) / kLanes * kLanes * k; }

// Panel after panel, each [k, its width], zeros past column n.
inline void pack(int64_t k, int64_t n, Strided b, float* packed) {
    for (int64_t column = 0; column < n; column += kPanel) {
        const int64_t vecs = panel_vecs(n, column);
        for (int64_t i = 0; i < k; ++i)
            for (int64_t j = 0; j < vecs; ++j, packed += kLanes) {
                const int64_t first = column + j * kLanes;
                const float* from = b.data + i * b.row + first * b.column;
                const int64_t live = n - first < kLanes ? n - first : kLanes;
                if (b.column == 1) {
                    store(packed, load_first(from, live));
                } else {
                    for (int64_t lane = 0; lane < kLanes; ++lane)
                        packed[lane] = lane < live ? from[lane * b.column] : 0.0f;
                }
            }
    }
}

// The two ways in which the left matrix may lie.
CMR_INLINE const float* row_of(const Strided& a, int64_t i) { return a.data + i * a.row; }
CMR_INLINE const float* row_of(const Grouped& a, int64_t i) {
    return a.data + i / a.rows * a.group + i % a.rows * a.row;
}
CMR_INLINE int64_t column_of(const Strided& a) { return a.column; }
CMR_INLINE int64_t column_of(const Grouped&) { return 1; }

// Rows first … first + kTileRows - 1 of C's panel.
template <int kTileRows, int kVecs, typename Left>
CMR_INLINE void tile(int64_t first, int64_t k, const Left& a, const float* b, float* c, int64_t c_row, int64_t live,
                     bool accumulate) {
    Vec sum[kTileRows][kVecs] = {};
    const float* row[kTileRows];
    const int64_t step = column_of(a);
#pragma GCC unroll 8
    for (int i = 0; i < kTileRows; ++i) row[i] = row_of(a, first + i);
    c += first * c_row;
    for (int64_t p = 0; p < k; ++p, b += kVecs * kLanes) {
        Vec right[kVecs];
#pragma GCC unroll 4
        for (int j = 0; j < kVecs; ++j) right[j] = load(b + j * kLanes);
#pragma GCC unroll 8
        for (int i = 0; i < kTileRows; ++i) {
            const Vec left = broadcast(row[i][p * step]);
#pragma GCC unroll 4
            for (int j = 0; j < kVecs; ++j) sum[i][j] += left * right[j];
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kTileRows; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kVecs; ++j) {
            float* to = c + i * c_row + j * kLanes;
            const int64_t lanes = live - j * kLanes;
            if (lanes >= kLanes)
                store(to, accumulate ? load(to) + sum[i][j] : sum[i][j]);
            else
                store_first(to, accumulate ? load_first(to, lanes) + sum[i][j] : sum[i][j], lanes);
        }
}

template <int kVecs, typename Left>
inline void panel(int64_t m, int64_t k, const Left& a, const float* b, float* c, int64_t c_row, int64_t live,
                  bool accumulate) {
    int64_t i = 0;
    for (; i + kRows <= m; i += kRows) tile<kRows, kVecs>(i, k, a, b, c, c_row, live, accumulate);
    switch (m - i) {
        case 7:
            return tile<(kRows > 7 ? 7 : 1), kVecs>(i, k, a, b, c, c_row, live, accumulate);
        case 6:
            return tile<(kRows > 6 ? 6 : 1), kVecs>(i, k, a, b, c, c_row, live, accumulate);
        case 5:
            return tile<5, kVecs>(i, k, a, b, c, c_row, live, accumulate);
        case 4:
            return tile<4, kVecs>(i, k, a, b, c, c_row, live, accumulate);
        case 3:
            return tile<3, kVecs>(i, k, a, b, c, c_row, live, accumulate);
        case 2:
            return tile<2, kVecs>(i, k, a, b, c, c_row, live, accumulate);
        case 1:
            return tile<1, kVecs>(i, k, a, b, c, c_row, live, accumulate);
        default:
            return;
    }
}

// C[m, n] (+)= A[m, k] · B[k, n], B from pack(). Every element sums over k in the same order, in blocks of kDepth,
// whatever m is and however A lies: one window alone and the same window in a batch get the same bits.
template <typename Left>
inline void gemm(int64_t m, int64_t n, int64_t k, Left a, const float* packed, float* c, int64_t c_row,
                 bool accumulate) {
    for (int64_t depth = 0; depth < k; depth += kDepth) {
        const int64_t part = k - depth < kDepth ? k - depth : kDepth;
        Left left = a;
        left.data += depth * column_of(a);
        const bool add = accumulate || depth > 0;
        const float* b = packed;
        for (int64_t column = 0; column < n; column += kPanel) {
            const int64_t vecs = panel_vecs(n, column);
            const float* from = b + depth * vecs * kLanes;
            const int64_t live = n - column < vecs * kLanes ? n - column : vecs * kLanes;
            if (vecs == kPanelVecs)
                panel<kPanelVecs>(m, part, left, from, c + column, c_row, live, add);
            else if (vecs == 2)
                panel<(kPanelVecs > 2 ? 2 : 1)>(m, part, left, from, c + column, c_row, live, add);
            else
                panel<1>(m, part, left, from, c + column, c_row, live, add);
            b += k * vecs * kLanes;
        }
    }
}
inline void gemm(int64_t m, int64_t n, int64_t k, Strided a, const float* packed, float* c, int64_t c_row,
                 bool accumulate) {
    gemm<Strided>(m, n, k, a, packed, c, c_row, accumulate);
}

// The same with B as it lies, packed piece by piece into `scratch` of kDepth * kPanel floats; for weight gradients,
// where k runs over tokens and B changes with every call.
inline void gemm_packing(int64_t m, int64_t n, int64_t k, Strided a, Strided b, float* c, int64_t c_row,
                         bool accumulate, float* scratch) {
    for (int64_t depth = 0; depth < k; depth += kDepth) {
        const int64_t part = k - depth < kDepth ? k - depth : kDepth;
        for (int64_t column = 0; column < n; column += kPanel) {
            const int64_t width = n - column < kPanel ? n - column : kPanel;
            pack(part, width, {b.data + depth * b.row + column * b.column, b.row, b.column}, scratch);
            gemm(m, width, part, {a.data + depth * a.column, a.row, a.column}, scratch, c + column, c_row,
                 accumulate || depth > 0);
        }
    }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA

#endif
