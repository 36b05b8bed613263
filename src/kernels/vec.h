// One vector of floats of the instruction set this file is compiled for, on the compiler's vector extensions, so that a
// kernel is written once with + - * / and compiled per set. a * b + c contracts to one fused multiply-add where it
// exists.
//
// Included by per-ISA sources only. Everything here and in them lives in a namespace of its own per set, and no std
// template is used: else the linker could merge AVX-512 code into the path of an older CPU.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CMR_INLINE inline __attribute__((always_inline))
#define CMR_INLINE_LAMBDA __attribute__((always_inline))

namespace cmr::kernels::CMR_KERNEL_ISA {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;  // SSE2 and NEON, which every x86-64 and aarch64 CPU has
#endif

using Vec = float __attribute__((vector_size(4 * kLanes)));
using IntVec = int32_t __attribute__((vector_size(4 * kLanes)));

#if defined(__clang__)  // forgets the alignment of an alias, and would take moves that fault
struct __attribute__((packed, may_alias)) UnalignedVec {
    Vec vec;
};
CMR_INLINE Vec load(const float* p) { return reinterpret_cast<const UnalignedVec*>(p)->vec; }
CMR_INLINE void store(float* p, Vec v) { reinterpret_cast<UnalignedVec*>(p)->vec = v; }
#else
using UnalignedVec = float __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
CMR_INLINE Vec load(const float* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
CMR_INLINE void store(float* p, Vec v) { *reinterpret_cast<UnalignedVec*>(p) = v; }
#endif
CMR_INLINE Vec broadcast(float x) { return x - Vec{}; }  // minus zero keeps the sign of -0

// The same register as doubles.
inline constexpr int kDoubleLanes = kLanes / 2;
using DoubleVec = double __attribute__((vector_size(8 * kDoubleLanes)));
#if defined(__clang__)
struct __attribute__((packed, may_alias)) UnalignedDoubleVec {
    DoubleVec vec;
};
CMR_INLINE DoubleVec load(const double* p) { return reinterpret_cast<const UnalignedDoubleVec*>(p)->vec; }
CMR_INLINE void store(double* p, DoubleVec v) { reinterpret_cast<UnalignedDoubleVec*>(p)->vec = v; }
#else
using UnalignedDoubleVec = double __attribute__((vector_size(8 * kDoubleLanes), aligned(8), may_alias));
CMR_INLINE DoubleVec load(const double* p) { return *reinterpret_cast<const UnalignedDoubleVec*>(p); }
CMR_INLINE void store(double* p, DoubleVec v) { *reinterpret_cast<UnalignedDoubleVec*>(p) = v; }
#endif
CMR_INLINE DoubleVec broadcast(double x) { return x - DoubleVec{}; }

// The first `live` lanes (1 … kLanes); the others read as zero and are not written.
CMR_INLINE Vec load_first(const float* p, int64_t live) {
    if (live >= kLanes) return load(p);
#if defined(__AVX512F__)
    return (Vec)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << live) - 1), p);
#else
    Vec v{};
    for (int64_t i = 0; i < live; ++i) v[i] = p[i];
    return v;
#endif
}
CMR_INLINE void store_first(float* p, Vec v, int64_t live) {
    if (live >= kLanes) return store(p, v);
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << live) - 1), (__m512)v);
#else
    for (int64_t i = 0; i < live; ++i) p[i] = v[i];
#endif
}

CMR_INLINE Vec max(Vec a, Vec b) {
#if defined(__AVX512F__)
    return (Vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (Vec)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (Vec)_mm_max_ps((__m128)a, (__m128)b);
#else
    return a > b ? a : b;
#endif
}
CMR_INLINE Vec min(Vec a, Vec b) {
#if defined(__AVX512F__)
    return (Vec)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (Vec)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (Vec)_mm_min_ps((__m128)a, (__m128)b);
#else
    return a < b ? a : b;
#endif
}
CMR_INLINE Vec abs(Vec a) { return (Vec)((IntVec)a & 0x7fffffff); }

CMR_INLINE bool all_at_least(Vec v, float low) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)v, _mm512_set1_ps(low), _CMP_NGE_UQ) == 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_set1_ps(low), _CMP_NGE_UQ)) == 0;
#elif defined(__x86_64__)
    return _mm_movemask_ps(_mm_cmpnge_ps((__m128)v, _mm_set1_ps(low))) == 0;
#else
    bool all = true;
    for (int i = 0; i < kLanes; ++i) all &= v[i] >= low;
    return all;
#endif
}

// A fixed order of additions: halves are folded onto each other.
CMR_INLINE float sum(Vec v) {
    using Four = float __attribute__((vector_size(16)));
#if defined(__AVX512F__)
    using Eight = float __attribute__((vector_size(32)));
    const Eight eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                        __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    Four four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#elif defined(__AVX2__)
    Four four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    Four four = v;
#endif
    four += __builtin_shufflevector(four, four, 2, 3, 2, 3);
    return four[0] + four[1];
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
