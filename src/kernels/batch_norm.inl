// Batch normalisation followed by GELU, on blocks of rows. Included by per-ISA sources.
#pragma once

#include "kernels/kernels.h"
#include "kernels/math.inl"

namespace cmr::kernels::CMR_KERNEL_ISA {

// sums[j] = Σ_i x[i, j], or Σ_i (x[i, j] - mean[j])² where a mean is given.
inline void column_moments(int64_t rows, int64_t n, const float* x, const float* mean, float* sums) {
    for (int64_t j = 0; j < n; j += kLanes) {
        const int64_t live = n - j;
        const Vec centre = mean ? load_first(mean + j, live) : Vec{};
        Vec total{};
        for (int64_t i = 0; i < rows; ++i) {
            const Vec d = load_first(x + i * n + j, live) - centre;
            total += mean ? d * d : d;
        }
        store_first(sums + j, total, live);
    }
}

// y = gelu(x * scale + shift)
inline void scale_gelu(int64_t rows, int64_t n, const float* x, const float* scale, const float* shift, float* y) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n; j += kLanes) {
            const int64_t live = n - j, at = i * n + j;
            store_first(y + at,
                        gelu(load_first(x + at, live) * load_first(scale + j, live) + load_first(shift + j, live)),
                        live);
        }
}

// d = dy * gelu'(x * scale + shift), with Σ d and Σ d x̂, x̂ = (x - mean) * inverse.
inline void scale_gelu_backward(int64_t rows, int64_t n, const float* x, const float* scale, const float* shift,
                                const float* mean, const float* inverse, const float* dy, float* d, float* sum_d,
                                float* sum_dx) {
    for (int64_t j = 0; j < n; j += kLanes) {
        const int64_t live = n - j;
        const Vec a = load_first(scale + j, live), b = load_first(shift + j, live);
        const Vec centre = load_first(mean + j, live), width = load_first(inverse + j, live);
        Vec total{}, total_x{};
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t at = i * n + j;
            const Vec v = load_first(x + at, live);
            const Vec slope = load_first(dy + at, live) * gelu_slope(v * a + b);
            store_first(d + at, slope, live);
            total += slope;
            total_x += slope * ((v - centre) * width);
        }
        store_first(sum_d + j, total, live);
        store_first(sum_dx + j, total_x, live);
    }
}

// d = scale * (d - mean_d - x̂ * mean_dx), in place.
inline void batch_norm_backward(int64_t rows, int64_t n, const float* x, const float* scale, const float* mean,
                                const float* inverse, const float* mean_d, const float* mean_dx, float* d) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n; j += kLanes) {
            const int64_t live = n - j, at = i * n + j;
            const Vec normed = (load_first(x + at, live) - load_first(mean + j, live)) * load_first(inverse + j, live);
            store_first(d + at,
                        load_first(scale + j, live) * (load_first(d + at, live) - load_first(mean_d + j, live) -
                                                       normed * load_first(mean_dx + j, live)),
                        live);
        }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
