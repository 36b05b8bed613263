// One head of attention that also says how far its rows are from a Gaussian around their own token (Anomaly
// Transformer), forward and backward. Included by per-ISA sources.
#pragma once

#include "kernels/gemm.inl"
#include "kernels/kernels.h"
#include "kernels/math.inl"

namespace cmr::kernels::CMR_KERNEL_ISA {

// Keeps logarithms of probabilities finite, as in the original implementation.
inline constexpr float kLeastProbability = 1e-4f;

CMR_INLINE Vec exp(Vec x) { return exp2(x * kLog2e); }

CMR_INLINE float largest(int64_t n, const float* x) {
    Vec most = broadcast(x[0]);
    int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes) most = max(most, load(x + j));
    float out = most[0];
    for (int lane = 1; lane < kLanes; ++lane) out = most[lane] > out ? most[lane] : out;
    for (; j < n; ++j) out = x[j] > out ? x[j] : out;
    return out;
}

// The lanes of a last, partial vector must not count.
CMR_INLINE Vec live_only(Vec v, int64_t live) {
    for (int64_t lane = live; lane < kLanes; ++lane) v[lane] = 0.0f;
    return v;
}

CMR_INLINE void divide(int64_t n, float* x, float by) {
    const float factor = 1.0f / by;
    for (int64_t j = 0; j < n; j += kLanes) store_first(x + j, load_first(x + j, n - j) * factor, n - j);
}

// x = softmax(scale · x)
CMR_INLINE void softmax_row(int64_t n, float scale, float* x) {
    const float most = largest(n, x);
    Vec total{};
    for (int64_t j = 0; j < n; j += kLanes) {
        const Vec e = exp((load_first(x + j, n - j) - most) * scale);
        store_first(x + j, e, n - j);
        total += live_only(e, n - j);
    }
    divide(n, x, sum(total));
}

CMR_INLINE Vec squared_distance(int64_t row, int64_t j) {
    Vec d{};
    for (int lane = 0; lane < kLanes; ++lane) d[lane] = static_cast<float>(j + lane - row);
    return d * d;
}

// p_j ∝ exp(-(j - row)² / 2σ²)
CMR_INLINE void prior_row(int64_t n, int64_t row, float sigma, float* p) {
    const float factor = -0.5f / (sigma * sigma);
    Vec total{};
    for (int64_t j = 0; j < n; j += kLanes) {
        const Vec e = exp(max(squared_distance(row, j) * factor, broadcast(-87.0f)));
        store_first(p + j, e, n - j);
        total += live_only(e, n - j);
    }
    divide(n, p, sum(total));
}

// KL(p‖s) + KL(s‖p) = Σ (p - s) (log p - log s)
CMR_INLINE float row_discrepancy(int64_t n, const float* s, const float* p) {
    Vec total{};
    for (int64_t j = 0; j < n; j += kLanes) {
        const Vec series = load_first(s + j, n - j), prior = load_first(p + j, n - j);
        const Vec ratio = log(prior + kLeastProbability) - log(series + kLeastProbability);
        total += (prior - series) * ratio;  // nothing where both are zero, as in the lanes past the end
    }
    return sum(total);
}

inline void attention_head(const AttentionHead& h) {
    alignas(64) float panel[kDepth * kPanel];
    const int64_t n = h.tokens;
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(h.width));
    gemm_packing(n, n, h.width, {h.q, h.row, 1}, {h.k, 1, h.row}, h.series, n, false, panel);
    for (int64_t i = 0; i < n; ++i) {
        float* row = h.series + i * n;
        softmax_row(n, scale, row);
        prior_row(n, i, h.sigma[i * h.heads], h.scratch);
        h.discrepancy[i * h.heads] = row_discrepancy(n, row, h.scratch);
    }
    gemm_packing(n, h.width, n, {h.series, n, 1}, {h.v, h.row, 1}, h.out, h.row, false, panel);
}

inline void attention_head_backward(const AttentionHead& h, const AttentionGradients& g) {
    alignas(64) float panel[kDepth * kPanel];
    const int64_t n = h.tokens;
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(h.width));
    float* d_series = h.scratch;      // [n, n]
    float* prior = d_series + n * n;  // [n]
    gemm_packing(n, n, h.width, {g.d_out, h.row, 1}, {h.v, 1, h.row}, d_series, n, false, panel);
    gemm_packing(n, h.width, n, {h.series, 1, n}, {g.d_out, h.row, 1}, g.dv, h.row, false, panel);
    for (int64_t i = 0; i < n; ++i) {
        const float* s = h.series + i * n;
        float* ds = d_series + i * n;
        const float sigma = h.sigma[i * h.heads], by_series = g.d_series[i * h.heads],
                    by_prior = g.d_prior[i * h.heads];
        prior_row(n, i, sigma, prior);
        Vec s_ds{}, p_dp{}, p_dp_distance{}, p_distance{};
        for (int64_t j = 0; j < n; j += kLanes) {
            const int64_t live = n - j;
            const Vec series = load_first(s + j, live), p = load_first(prior + j, live);
            const Vec safe_series = series + kLeastProbability, safe_prior = p + kLeastProbability;
            const Vec ratio = log(safe_prior) - log(safe_series), difference = p - series;
            const Vec d = load_first(ds + j, live) - by_series * (ratio + difference / safe_series);
            store_first(ds + j, d, live);
            s_ds += series * d;
            const Vec dp = p * (ratio + difference / safe_prior), distance = squared_distance(i, j);
            p_dp += dp;
            p_dp_distance += dp * distance;
            p_distance += p * distance;
        }
        const float mean = sum(s_ds);
        for (int64_t j = 0; j < n; j += kLanes) {
            const Vec d = load_first(s + j, n - j) * (load_first(ds + j, n - j) - mean) * scale;
            store_first(ds + j, d, n - j);
        }
        g.d_sigma[i * h.heads] =
            by_prior * (sum(p_dp_distance) - sum(p_dp) * sum(p_distance)) / (sigma * sigma * sigma);
    }
    gemm_packing(n, h.width, n, {d_series, n, 1}, {h.k, h.row, 1}, g.dq, h.row, false, panel);
    gemm_packing(n, h.width, n, {d_series, 1, n}, {h.q, h.row, 1}, g.dk, h.row, false, panel);
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
