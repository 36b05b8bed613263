// The product of two tiles in plain C++, bit for bit what TDPBF16PS gives by Intel's manual: the sums over even and
// over odd terms are fused multiply-adds from zero, in order, and what they add up to is added to C; to nearest even,
// with denormals read and written as zero (the caller's FlushDenormals). Slow; it defines the result, and stands in
// where the processor has no AMX. Included by gemm_bf16.inl.
#pragma once

#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

struct TilesInUse {
    TilesInUse() {}  // so that a variable of it is not unused
};

// a * b + c, rounded once.
CMR_INLINE Vec fused(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
    return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int i = 0; i < kLanes; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

CMR_INLINE Vec low_halves(const Pair* p) { return (Vec)((IntVec)load(reinterpret_cast<const float*>(p)) << 16); }
CMR_INLINE Vec high_halves(const Pair* p) {
    return (Vec)((IntVec)load(reinterpret_cast<const float*>(p)) & static_cast<int32_t>(0xffff0000));
}
CMR_INLINE float as_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// c[i, j] += Σ over pairs p of a[i, p] · b[p, j]
inline void multiply_tiles(const Pair* a, const Pair* b, float* c) {
    constexpr int kVecs = kTile / kLanes;
    for (int64_t i = 0; i < kTile; ++i, c += kTile) {
        Vec even[kVecs] = {}, odd[kVecs] = {};
        for (int64_t p = 0; p < kTile; ++p) {
            const Vec low = broadcast(as_float(a[i * kTile + p] << 16));
            const Vec high = broadcast(as_float(a[i * kTile + p] & 0xffff0000));
            for (int j = 0; j < kVecs; ++j) {
                even[j] = fused(low, low_halves(b + p * kTile + j * kLanes), even[j]);
                odd[j] = fused(high, high_halves(b + p * kTile + j * kLanes), odd[j]);
            }
        }
        for (int j = 0; j < kVecs; ++j) store(c + j * kLanes, load(c + j * kLanes) + (even[j] + odd[j]));
    }
}

// Rows × columns of tiles (1 or 2 each) of C, from nothing: a as split_rows lays it, b as pack does.
inline void multiply_block(int64_t rows, int64_t columns, int64_t steps, const Pair* a, const Pair* b, float* c,
                           int64_t c_row) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            alignas(64) float sums[kTilePairs] = {};
            for (int64_t step = 0; step < steps; ++step)
                for (const PartProduct& of : kProducts)
                    multiply_tiles(a + ((i * steps + step) * kParts + of.a) * kTilePairs,
                                   b + ((step * kParts + of.b) * columns + j) * kTilePairs, sums);
            float* to = c + i * kTile * c_row + j * kTile;
            for (int64_t row = 0; row < kTile; ++row)
                for (int64_t lane = 0; lane < kTile; ++lane) to[row * c_row + lane] = sums[row * kTile + lane];
        }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
