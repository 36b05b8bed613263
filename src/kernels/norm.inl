// Layer normalisation of rows, forward and backward, optionally followed by GELU. Included by per-ISA sources.
#pragma once

#include "kernels/kernels.h"
#include "kernels/math.inl"

namespace cmr::kernels::CMR_KERNEL_ISA {

struct RowMoments {
    float mean;
    float scale;  // 1 / √(variance + ε)
};

// Two passes: the variance of a row with a large offset would cancel in one.
CMR_INLINE RowMoments row_moments(int64_t n, const float* x) {
    Vec total{};
    for (int64_t j = 0; j < n; j += kLanes) total += load_first(x + j, n - j);
    const float mean = sum(total) / static_cast<float>(n);
    Vec squares{};
    int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes) {
        const Vec d = load(x + j) - mean;
        squares += d * d;
    }
    float rest = 0.0f;
    for (; j < n; ++j) rest += (x[j] - mean) * (x[j] - mean);
    const float variance = (sum(squares) + rest) / static_cast<float>(n);
    return {mean, 1.0f / __builtin_sqrtf(variance + kNormEpsilon)};
}

inline void layer_norm(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias, bool with_gelu,
                       float* y) {
    for (int64_t i = 0; i < rows; ++i, x += n, y += n) {
        const RowMoments m = row_moments(n, x);
        for (int64_t j = 0; j < n; j += kLanes) {
            const int64_t live = n - j;
            Vec v = (load_first(x + j, live) - m.mean) * m.scale * load_first(weight + j, live) +
                    load_first(bias + j, live);
            if (with_gelu) v = gelu(v);
            store_first(y + j, v, live);
        }
    }
}

// With x̂ = (x - mean) * scale and g = dy * weight: dx = scale * (g - mean(g) - x̂ * mean(g x̂)). dx may be dy.
inline void layer_norm_backward(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias,
                                bool with_gelu, const float* dy, float* dx, float* d_weight, float* d_bias) {
    for (int64_t i = 0; i < rows; ++i, x += n, dy += n, dx += n) {
        const RowMoments m = row_moments(n, x);
        Vec sum_g{}, sum_gx{};
        for (int64_t j = 0; j < n; j += kLanes) {
            const int64_t live = n - j;
            const Vec w = load_first(weight + j, live);
            const Vec normed = (load_first(x + j, live) - m.mean) * m.scale;
            Vec d = load_first(dy + j, live);
            if (with_gelu) d *= gelu_slope(normed * w + load_first(bias + j, live));
            store_first(d_weight + j, load_first(d_weight + j, live) + d * normed, live);
            store_first(d_bias + j, load_first(d_bias + j, live) + d, live);
            const Vec g = d * w;
            sum_g += g;
            sum_gx += g * normed;  // lanes past n hold g = 0
            store_first(dx + j, g, live);
        }
        const float mean_g = sum(sum_g) / static_cast<float>(n);
        const float mean_gx = sum(sum_gx) / static_cast<float>(n);
        for (int64_t j = 0; j < n; j += kLanes) {
            const int64_t live = n - j;
            const Vec normed = (load_first(x + j, live) - m.mean) * m.scale;
            store_first(dx + j, m.scale * (load_first(dx + j, live) - mean_g - normed * mean_gx), live);
        }
    }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
