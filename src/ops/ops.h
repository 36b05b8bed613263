#pragma once
// The kernels as differentiable operations on float32 CPU tensors. Data is token-major: [windows, tokens, features].
// Double backward is not supported. Each has a slow twin in reference.h, which is its specification.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/conv.h"
#include "kernels/kernels.h"

namespace cmr::ops {

using at::Tensor;
using kernels::ConvShape;
using kernels::MambaShape;

// x [windows, length, in], weight [out, in, kernel], bias [out] or undefined → [windows, out_length, out].
Tensor conv1d(const ConvShape& shape, const Tensor& x, const Tensor& weight, const Tensor& bias);

// The transpose of that convolution: x [windows, length, shape.out], weight [shape.out, shape.in, kernel], bias
// [shape.in] → [windows, (length - 1) * stride - pad_left - pad_right + kernel, shape.in].
Tensor conv_transpose1d(const ConvShape& shape, const Tensor& x, const Tensor& weight, const Tensor& bias);

// x [rows…, in], weight [out, in]: a convolution of width 1.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              kernels::Precision precision = kernels::Precision::float32);

// Over the last dimension; then GELU if asked.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, bool gelu);

// Over all rows of the last dimension, then GELU. Training: by the moments of x, which also move the running ones by
// `momentum`; else by the running ones.
struct RunningMoments {
    Tensor mean;
    Tensor variance;
    double momentum = 0.1;
};
Tensor batch_norm_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, RunningMoments& running,
                       bool training);

// h [windows, tokens, model] through a stack of Mamba blocks with pre-norm and residual; 11 tensors per layer in the
// order of kernels::MambaTensors.
inline constexpr int kTensorsPerMambaLayer = 11;
class TapePool;
Tensor mamba_stack(const MambaShape& shape, const Tensor& h, const std::vector<Tensor>& layers,
                   const std::shared_ptr<TapePool>& pool = nullptr);

// Keeps the gigabytes that a stack needs between forward and backward for the next step. One per network.
std::shared_ptr<TapePool> new_tape_pool();

// Softmax attention of several heads whose rows are compared with a Gaussian of width sigma > 0 around their own token.
struct Attention {
    Tensor out;  // [windows, tokens, width]
    // [windows, tokens, heads], twice the same KL(Gaussian‖softmax) + KL(softmax‖Gaussian): gradients of the first
    // reach the softmax alone, those of the second the Gaussian.
    Tensor series_discrepancy, prior_discrepancy;
};
// q, k, v [windows, tokens, width], sigma [windows, tokens, heads].
Attention attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& sigma);

// Elements kept by a draw keyed by (seed, index).
Tensor dropout(const Tensor& x, double p, uint64_t seed);

// mean((prediction - target)²)
Tensor mean_square(const Tensor& prediction, const Tensor& target);

}  // namespace cmr::ops
