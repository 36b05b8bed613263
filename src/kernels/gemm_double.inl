// One tile of a matrix product in double, for sums over a data set (linear/products.cpp cuts a product into tiles).
// Unlike gemm.inl it packs both factors: they are as often transposed as not, and their rows may lie pages apart.
#pragma once

#include "kernels/kernels.h"
#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

// kStrip × kPanelVectors vectors of C stay in registers: 12 of 16, or 24 of 32.
inline constexpr int kStrip = 6;
inline constexpr int kPanelVectors = kLanes == 16 ? 4 : 2;
inline constexpr int kPanelDoubles = kPanelVectors * kDoubleLanes;
inline constexpr int64_t kDoubleDepth = 128;  // a packed panel of so many rows fits in the first-level cache
static_assert(kDoubleTile % kStrip == 0 && kDoubleTile % kPanelDoubles == 0);

// A number at (i, p) of `from` goes to packed[i / kWidth][p][i % kWidth]; zeros past the last i.
template <int kWidth>
inline void pack_strips(int64_t count, int64_t k, const double* from, int64_t step, int64_t depth_step,
                        double* packed) {
    for (int64_t first = 0; first < count; first += kWidth, from += kWidth * step) {
        const int64_t live = count - first < kWidth ? count - first : kWidth;
        for (int64_t p = 0; p < k; ++p, packed += kWidth) {
            const double* at = from + p * depth_step;
            if (live == kWidth && step == 1) {
                for (int i = 0; i < kWidth; ++i) packed[i] = at[i];
            } else if (live == kWidth) {
                for (int i = 0; i < kWidth; ++i) packed[i] = at[i * step];
            } else {
                for (int64_t i = 0; i < kWidth; ++i) packed[i] = i < live ? at[i * step] : 0.0;
            }
        }
    }
}

// kVectors of the panel's are computed. Rows and columns that are only there to fill up are not written.
template <int kVectors>
CMR_INLINE void strip_times_panel(int64_t k, const double* a, const double* b, double* c, int64_t c_row, int64_t rows,
                                  int64_t columns, bool accumulate) {
    DoubleVec sum[kStrip][kVectors] = {};
    for (int64_t p = 0; p < k; ++p, a += kStrip, b += kPanelDoubles) {
        DoubleVec right[kVectors];
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) right[j] = load(b + j * kDoubleLanes);
#pragma GCC unroll 8
        for (int i = 0; i < kStrip; ++i) {
            const DoubleVec left = broadcast(a[i]);
#pragma GCC unroll 4
            for (int j = 0; j < kVectors; ++j) sum[i][j] += left * right[j];
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kStrip; ++i) {
        if (i >= rows) break;
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) {
            double* to = c + i * c_row + j * kDoubleLanes;
            const int64_t live = columns - j * kDoubleLanes;
            if (live >= kDoubleLanes) {
                store(to, accumulate ? load(to) + sum[i][j] : sum[i][j]);
            } else {
                for (int64_t lane = 0; lane < live; ++lane)
                    to[lane] = accumulate ? to[lane] + sum[i][j][lane] : sum[i][j][lane];
            }
        }
    }
}

// Every element sums over k in the same order, in blocks of kDoubleDepth, whatever m and n are: a row alone and the
// same row among others get the same bits.
inline void gemm_double(int64_t m, int64_t n, int64_t k, StridedDouble a, StridedDouble b, double* c, int64_t c_row,
                        bool accumulate) {
    alignas(64) double strips[kDoubleTile * kDoubleDepth];
    alignas(64) double panels[kDoubleTile * kDoubleDepth];
    for (int64_t depth = 0; depth < k; depth += kDoubleDepth) {
        const int64_t part = k - depth < kDoubleDepth ? k - depth : kDoubleDepth;
        const bool add = accumulate || depth > 0;
        pack_strips<kStrip>(m, part, a.data + depth * a.column, a.row, a.column, strips);
        pack_strips<kPanelDoubles>(n, part, b.data + depth * b.row, b.column, b.row, panels);
        for (int64_t column = 0; column < n; column += kPanelDoubles) {
            const double* panel = panels + column * part;
            const int64_t columns = n - column;
            for (int64_t row = 0; row < m; row += kStrip) {
                const double* strip = strips + row * part;
                double* to = c + row * c_row + column;
                if (kPanelVectors == 4 && columns <= kDoubleLanes)
                    strip_times_panel<1>(part, strip, panel, to, c_row, m - row, columns, add);
                else if (kPanelVectors == 4 && columns <= 2 * kDoubleLanes)
                    strip_times_panel<2>(part, strip, panel, to, c_row, m - row, columns, add);
                else
                    strip_times_panel<kPanelVectors>(part, strip, panel, to, c_row, m - row, columns, add);
            }
        }
    }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
