// Vector exp2, log, SiLU, softplus and the normal distribution, to about one part in 10^7 (coefficients fitted here by
// Lawson-weighted least squares; the error of each fit stands beside it). Included after vec.h by per-ISA sources.
#pragma once

#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

inline constexpr float kLog2e = 1.44269504088896341f;
inline constexpr float kLn2 = 0.693147180559945309f;

// (2^r - 1) / r on ±1/2: 9e-8
CMR_INLINE Vec exp2_polynomial(Vec r) {
    return (((1.340723460e-03f * r + 9.671861591e-03f) * r + 5.550308454e-02f) * r + 2.402223492e-01f) * r +
           6.931472148e-01f;
}

// 2^p for p ≤ 126; below -126 it is 2^-126 or zero, which is as good.
#if defined(__AVX512DQ__)
CMR_INLINE Vec exp2(Vec p) {
    const Vec r = (Vec)_mm512_reduce_ps((__m512)p, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return (Vec)_mm512_scalef_ps((__m512)(exp2_polynomial(r) * r + 1.0f), (__m512)(p - r));
}
#elif defined(__AVX2__)
// 2^p = 2^n 2^(i/8) 2^r: n and i come from rounding p to eighths by adding a large number, which leaves 8n + i in the
// low mantissa bits. The table of 2^(i/8) is one register, permuted; its entries lack i << 20, so that one integer
// addition of the shifted bits supplies both. On ±1/16 a shorter polynomial gives 3e-8.
CMR_INLINE Vec exp2(Vec p) {
    constexpr IntVec kEighths = {0x3f800000,
                                 0x3f8b95c2 - (1 << 20),
                                 0x3f9837f0 - (2 << 20),
                                 0x3fa5fed7 - (3 << 20),
                                 0x3fb504f3 - (4 << 20),
                                 0x3fc5672a - (5 << 20),
                                 0x3fd744fd - (6 << 20),
                                 0x3feac0c7 - (7 << 20)};
    const Vec magic = broadcast(1.5f * (1 << 20));
    p = max(p, broadcast(-126.0f));
    const Vec rounded = p + magic;
    const Vec r = p - (rounded - magic);
    const auto power = (IntVec)_mm256_permutevar8x32_epi32((__m256i)kEighths, (__m256i)rounded);
    const Vec scale = (Vec)(power + ((IntVec)rounded << 20));
    return scale * (((5.551145851e-02f * r + 2.402575939e-01f) * r + 6.931471722e-01f) * r) + scale;
}
#else
CMR_INLINE Vec exp2(Vec p) {
    const Vec magic = broadcast(1.5f * (1 << 23));
    p = max(p, broadcast(-126.0f));
    const Vec rounded = p + magic;
    const Vec r = p - (rounded - magic);
    return (Vec)((IntVec)(exp2_polynomial(r) * r + 1.0f) + ((IntVec)rounded << 23));
}
#endif

// Of positive, normal numbers. x = 2^n m with m from √½ to √2; log m = 2 atanh(s), s = (m - 1) / (m + 1) ≤ 0.172: 1e-6
// from 1e-4 to 1, which probabilities are held in, and 2e-7 of the logarithm.
CMR_INLINE Vec log(Vec x) {
    const IntVec bits = (IntVec)x - 0x3f3504f3;  // √½
    const IntVec exponent = bits >> 23;
    const Vec m = (Vec)((bits & 0x007fffff) + 0x3f3504f3);
    const Vec s = (m - 1.0f) / (m + 1.0f);
    const Vec z = s * s;
    const Vec series = (((2.0f / 9 * z + 2.0f / 7) * z + 2.0f / 5) * z + 2.0f / 3) * z + 2.0f;
    return __builtin_convertvector(exponent, Vec) * kLn2 + series * s;
}

// x sigmoid(x), sigmoid(x) = 1 / (1 + e^-x). Below -87 the sigmoid would leave the range of floats: x is held there,
// where the product is nearly zero already.
struct Silu {
    Vec x;  // held
    Vec sigmoid;
    CMR_INLINE Vec value() const { return x * sigmoid; }
    CMR_INLINE Vec slope() const { return sigmoid + value() * (1.0f - sigmoid); }
};
CMR_INLINE Silu silu_parts(Vec x) {
    const Vec held = max(x, broadcast(-87.0f));
    return {held, 1.0f / (1.0f + exp2(held * -kLog2e))};
}
CMR_INLINE Vec silu(Vec x) {
    const Vec held = max(x, broadcast(-87.0f));
    return held / (1.0f + exp2(held * -kLog2e));
}

// log(1 + e^x) = max(x, 0) + log1p(v) with v = e^-|x|, and log1p(v) = 2 atanh(s), s = v / (2 + v) <= 1/3: 4e-9
CMR_INLINE Vec softplus(Vec x) {
    const Vec v = exp2(abs(x) * -kLog2e);
    const Vec s = v / (2.0f + v);
    const Vec z = s * s;
    const Vec series =
        (((2.817832666e-01f * z + 2.796060535e-01f) * z + 4.002491003e-01f) * z + 6.666631469e-01f) * z + 2.000000008f;
    return max(x, Vec{}) + series * s;
}

struct Normal {
    Vec density;     // e^(-x²/2) / √(2π)
    Vec cumulative;  // Φ(x)
};

// Φ(-|x|) = e^(-x²/2) * t * polynomial(t), t = 1 / (1 + 0.28 |x|): 2e-8 absolute. GELU is x Φ(x), its slope Φ + x φ.
CMR_INLINE Normal normal(Vec x) {
    const Vec magnitude = min(abs(x), broadcast(13.0f));  // past it both are 0 or 1 in float
    const Vec t = 1.0f / (0.28f * magnitude + 1.0f);
    const Vec density = exp2(magnitude * magnitude * (-0.5f * kLog2e));
    const Vec series =
        ((((-1.043967596e-01f * t + 3.841065002e-01f) * t - 2.276277237e-01f) * t + 2.613569996e-01f) * t +
         7.052106313e-02f) *
            t +
        1.160399372e-01f;
    const Vec tail = density * (series * t);
    return {density * 0.398942280401432678f, x < 0.0f ? tail : 1.0f - tail};
}

CMR_INLINE Vec gelu(Vec x) { return x * normal(x).cumulative; }
CMR_INLINE Vec gelu_slope(Vec x) {
    const Normal n = normal(x);
    return n.cumulative + min(max(x, broadcast(-13.0f)), broadcast(13.0f)) * n.density;
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
