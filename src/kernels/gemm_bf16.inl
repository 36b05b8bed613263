// Matrix products of bf16 parts, which gemm.inl becomes where CMR_PRODUCT_PARTS is defined: C (+)= A · B in float32
// outside, with each number split into one, two or three bf16 parts inside and the parts multiplied in tiles of 16
// rows, 16 columns and 32 terms.
//
//     x = x₀ + x₁ + x₂ + …   xᵢ = bf16(x - x₀ - … - xᵢ₋₁), to nearest even: 8 bits of x each, three hold all 24
//     a·b ≈ Σ aᵢ·bⱼ over i + j < parts: what is left out is 2^-9 (one part), 2^-17 (two) or 2^-26 (three) of it
//
// Tiles are multiplied by AMX (tiles_amx.inl) or by the twin that defines its bits (tiles_twin.inl); everything else is
// the same code. One accumulator per element, over k in steps of 32 and in each step over kProducts in their order, in
// blocks of kDepth: the bits do not depend on m, n, or how A and B lie.
#pragma once

#include "kernels/kernels.h"
#include "kernels/vec.h"

#define CMR_PARTS CMR_PRODUCT_PARTS

namespace cmr::kernels::CMR_KERNEL_ISA {

inline constexpr int kParts = CMR_PARTS;

// Two bf16 as they lie in a tile: of terms 2i (low half) and 2i + 1 of the sum.
using Pair = uint32_t __attribute__((may_alias));
inline constexpr int64_t kTile = 16;          // rows of a tile, and pairs or floats in a row
inline constexpr int64_t kTerms = 2 * kTile;  // of the sum that one product of tiles adds
inline constexpr int64_t kTilePairs = kTile * kTile;

// Which part of A meets which of B, the largest last where that costs nothing: neighbours share one, so that its tiles
// stay where they are.
struct PartProduct {
    int a, b;
};
#if CMR_PARTS == 1
inline constexpr PartProduct kProducts[] = {{0, 0}};
#elif CMR_PARTS == 2
inline constexpr PartProduct kProducts[] = {{1, 0}, {0, 0}, {0, 1}};
#else
inline constexpr PartProduct kProducts[] = {{2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 0}};
#endif
inline constexpr int kProductCount = sizeof kProducts / sizeof kProducts[0];

}  // namespace cmr::kernels::CMR_KERNEL_ISA

#if defined(CMR_PRODUCT_TWIN)
#include "kernels/tiles_twin.inl"
#else
#include "kernels/tiles_amx.inl"
#endif

namespace cmr::kernels::CMR_KERNEL_ISA {

inline constexpr int64_t kBlock = 2 * kTile;    // rows and columns of C whose four tiles of sums stay in registers
inline constexpr int64_t kDepth = 256;          // rows of B worked on at once
inline constexpr int64_t kRowsAtOnce = 96;      // rows of A split at once, for all columns
inline constexpr int64_t kColumnsAtOnce = 128;  // columns of B that gemm_packing packs at once
inline constexpr int64_t kPanel = kColumnsAtOnce / 2 * kParts;  // floats that one row of them takes

using BitsVec = uint32_t __attribute__((vector_size(4 * kLanes)));
using HalvesVec = uint16_t __attribute__((vector_size(2 * kLanes)));
using UnalignedBits = uint32_t __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
using UnalignedHalves = uint16_t __attribute__((vector_size(2 * kLanes), aligned(2), may_alias));

CMR_INLINE int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
CMR_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// The nearest bf16, as the float that it is: the low half of its bits is zero. NaN stays NaN.
CMR_INLINE Vec nearest_bf16(Vec x) {
    const BitsVec bits = (BitsVec)x, nan = (BitsVec)(x != x);
    const BitsVec rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    return (Vec)(((nan & (bits | 0x400000u)) | (~nan & rounded)) & 0xffff0000u);
}

// Takes the next part off x.
CMR_INLINE Vec next_part(Vec& x) {
    const Vec part = nearest_bf16(x);
    x -= part;
    return part;
}

// Up to kLanes floats, `step` apart; zeros past `live`, which may be none.
CMR_INLINE Vec load_some(const float* p, int64_t step, int64_t live) {
    if (step == 1) return load_first(p, live);
    Vec v{};
    const int64_t count = smaller(live, kLanes);
    for (int64_t i = 0; i < count; ++i) v[i] = p[i * step];
    return v;
}

// --- B --------------------------------------------------------------------------------------------------------------

CMR_INLINE int64_t packed_size(int64_t k, int64_t n) {
    return ceil_div(n, kTile) * ceil_div(k, kTerms) * kParts * kTilePairs;
}

// Block after block of kBlock columns; in each, step after step of kTerms rows; in each, part after part, its one or
// two tiles. Zeros past row k and column n.
inline void pack(int64_t k, int64_t n, Strided b, float* packed) {
    for (int64_t column = 0; column < n; column += kBlock) {
        const int64_t tiles = n - column > kTile ? 2 : 1;
        Pair* block = reinterpret_cast<Pair*>(packed + packed_size(k, column));
        for (int64_t depth = 0; depth < k; depth += kTerms, block += kParts * tiles * kTilePairs)
            for (int64_t at = 0; at < tiles * kTile; at += kLanes)
                for (int64_t r = 0; r < kTile; ++r) {
                    const int64_t row = depth + 2 * r, live = n - column - at;
                    const float* from = b.data + row * b.row + (column + at) * b.column;
                    Vec low = row < k ? load_some(from, b.column, live) : Vec{};
                    Vec high = row + 1 < k ? load_some(from + b.row, b.column, live) : Vec{};
                    Pair* to = block + at / kTile * kTilePairs + r * kTile + at % kTile;
                    for (int part = 0; part < kParts; ++part, to += tiles * kTilePairs) {
                        const BitsVec pairs = (BitsVec)next_part(high) | (BitsVec)next_part(low) >> 16;
                        *reinterpret_cast<UnalignedBits*>(to) = pairs;
                    }
                }
    }
}

// --- A --------------------------------------------------------------------------------------------------------------

CMR_INLINE const float* row_of(const Strided& a, int64_t i) { return a.data + i * a.row; }
CMR_INLINE const float* row_of(const Grouped& a, int64_t i) {
    return a.data + i / a.rows * a.group + i % a.rows * a.row;
}
CMR_INLINE int64_t column_of(const Strided& a) { return a.column; }
CMR_INLINE int64_t column_of(const Grouped&) { return 1; }
CMR_INLINE bool lies_by_columns(const Strided& a) { return a.row == 1 && a.column != 1; }
CMR_INLINE bool lies_by_columns(const Grouped&) { return false; }

// kLanes numbers of one row, from an even term on, into its parts' tiles. `to` is where the first part of them goes.
CMR_INLINE void put_parts(Vec x, Pair* to) {
    for (int part = 0; part < kParts; ++part, to += kTilePairs) {
        const BitsVec bits = (BitsVec)next_part(x) >> 16;
        *reinterpret_cast<UnalignedHalves*>(to) = __builtin_convertvector(bits, HalvesVec);
    }
}

#if defined(__AVX512F__)
// v[i][j] ↔ v[j][i]
CMR_INLINE void transpose(Vec (&v)[kLanes]) {
    const auto step = [&](int width, const auto& low, const auto& high) CMR_INLINE_LAMBDA {
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
            if (!(i & width)) {
                const Vec a = v[i], b = v[i + width];
                v[i] = low(a, b);
                v[i + width] = high(a, b);
            }
    };
#define CMR_SHUFFLE(...) [](Vec a, Vec b) CMR_INLINE_LAMBDA { return __builtin_shufflevector(a, b, __VA_ARGS__); }
    step(8, CMR_SHUFFLE(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
         CMR_SHUFFLE(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
    step(4, CMR_SHUFFLE(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
         CMR_SHUFFLE(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31));
    step(2, CMR_SHUFFLE(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
         CMR_SHUFFLE(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31));
    step(1, CMR_SHUFFLE(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
         CMR_SHUFFLE(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31));
#undef CMR_SHUFFLE
}
#endif

// Rows first … first + rows - 1 of A, k terms of each, as tiles: every kTile rows, step after step of kTerms terms,
// part after part. Zeros past the last row and term.
template <typename Left>
inline void split_rows(int64_t first, int64_t rows, int64_t k, const Left& a, Pair* out) {
    const int64_t steps = ceil_div(k, kTerms), column = column_of(a);
    for (int64_t top = 0; top < rows; top += kTile)
        for (int64_t step = 0; step < steps; ++step, out += kParts * kTilePairs)
            for (int64_t term = 0; term < kTerms; term += kLanes) {
                const int64_t at = step * kTerms + term, live = smaller(k - at, kLanes);
                Pair* to = out + term / 2;
#if defined(__AVX512F__)
                if (lies_by_columns(a)) {  // weight gradients: neighbours are rows, not terms
                    Vec v[kLanes];
#pragma GCC unroll 16
                    for (int i = 0; i < kLanes; ++i)
                        v[i] = i < live ? load_first(row_of(a, first + top) + (at + i) * column, rows - top) : Vec{};
                    transpose(v);
#pragma GCC unroll 16
                    for (int i = 0; i < kLanes; ++i) put_parts(v[i], to + i * kTile);
                    continue;
                }
#endif
                for (int64_t i = 0; i < kTile; ++i) {
                    const bool there = top + i < rows && live > 0;
                    put_parts(there ? load_some(row_of(a, first + top + i) + at * column, column, live) : Vec{},
                              to + i * kTile);
                }
            }
}

// --- C --------------------------------------------------------------------------------------------------------------

// Adds or copies the part of a block that is there.
CMR_INLINE void put_block(int64_t rows, int64_t columns, const float* sums, float* c, int64_t c_row, bool accumulate) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; j += kLanes) {
            float* to = c + i * c_row + j;
            const Vec sum = load(sums + i * kBlock + j);
            store_first(to, accumulate ? load_first(to, columns - j) + sum : sum, columns - j);
        }
}

template <typename Left>
inline void gemm(int64_t m, int64_t n, int64_t k, Left a, const float* packed, float* c, int64_t c_row,
                 bool accumulate) {
    alignas(64) Pair left[kRowsAtOnce * kDepth / 2 * kParts];
    alignas(64) float sums[kBlock * kBlock];
    const TilesInUse tiles_in_use;
    for (int64_t depth = 0; depth < k; depth += kDepth) {
        const int64_t part = smaller(k - depth, kDepth), steps = ceil_div(part, kTerms);
        const bool add = accumulate || depth > 0;
        Left from = a;
        from.data += depth * column_of(a);
        for (int64_t top = 0; top < m; top += kRowsAtOnce) {
            const int64_t height = smaller(m - top, kRowsAtOnce);
            split_rows(top, height, part, from, left);
            for (int64_t column = 0; column < n; column += kBlock) {
                const int64_t width = smaller(n - column, kBlock), across = ceil_div(width, kTile);
                const Pair* b = reinterpret_cast<const Pair*>(packed + packed_size(k, column)) +
                                depth / kTerms * across * kParts * kTilePairs;
                for (int64_t row = 0; row < height; row += kBlock) {
                    const int64_t rows = smaller(height - row, kBlock), down = ceil_div(rows, kTile);
                    const Pair* tiles = left + row / kTile * steps * kParts * kTilePairs;
                    float* to = c + (top + row) * c_row + column;
                    if (!add && rows == down * kTile && width == across * kTile) {
                        multiply_block(down, across, steps, tiles, b, to, c_row);
                    } else {
                        multiply_block(down, across, steps, tiles, b, sums, kBlock);
                        put_block(rows, width, sums, to, c_row, add);
                    }
                }
            }
        }
    }
}
inline void gemm(int64_t m, int64_t n, int64_t k, Strided a, const float* packed, float* c, int64_t c_row,
                 bool accumulate) {
    gemm<Strided>(m, n, k, a, packed, c, c_row, accumulate);
}

// The same with B as it lies, packed piece by piece into `scratch` of kDepth * kPanel floats.
inline void gemm_packing(int64_t m, int64_t n, int64_t k, Strided a, Strided b, float* c, int64_t c_row,
                         bool accumulate, float* scratch) {
    for (int64_t depth = 0; depth < k; depth += kDepth) {
        const int64_t part = smaller(k - depth, kDepth);
        for (int64_t column = 0; column < n; column += kColumnsAtOnce) {
            const int64_t width = smaller(n - column, kColumnsAtOnce);
            pack(part, width, {b.data + depth * b.row + column * b.column, b.row, b.column}, scratch);
            gemm(m, width, part, Strided{a.data + depth * a.column, a.row, a.column}, scratch, c + column, c_row,
                 accumulate || depth > 0);
        }
    }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
