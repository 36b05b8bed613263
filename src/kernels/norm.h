#pragma once
// Layer and batch normalisation over [rows, n], in parallel, forward and backward. Sums over rows run in fixed blocks
// and are added in order, so the bits do not depend on the number of threads.

#include <cstdint>
#include <vector>

namespace cmr::kernels {

// y = norm(row) * weight + bias, then GELU if asked. y may be x.
void layer_norm_forward(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias, bool gelu,
                        float* y);
// d_weight and d_bias are overwritten. dx may be dy.
void layer_norm_backward(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias, bool gelu,
                         const float* dy, float* dx, float* d_weight, float* d_bias);

// Mean and variance of every column, and the same as the scale and shift that normalise it.
struct BatchMoments {
    std::vector<float> mean;
    std::vector<float> variance;  // divided by rows, not rows - 1
};
BatchMoments batch_moments(int64_t rows, int64_t n, const float* x);

// y = gelu((x - mean) / √(variance + ε) * weight + bias). y may be x.
void batch_norm_gelu_forward(int64_t rows, int64_t n, const float* x, const BatchMoments& moments, const float* weight,
                             const float* bias, float* y);
// Backward of the above where the moments are those of x itself.
void batch_norm_gelu_backward(int64_t rows, int64_t n, const float* x, const BatchMoments& moments, const float* weight,
                              const float* bias, const float* dy, float* dx, float* d_weight, float* d_bias);

}  // namespace cmr::kernels
