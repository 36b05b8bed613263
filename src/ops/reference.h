#pragma once
// The slow, readable twins of ops.h, written with ordinary tensor operations in whatever precision their inputs have.
// They are the specification: tests compare values and gradients of the fused operations with these in float64.

#include "ops/ops.h"

namespace cmr::ops::reference {

Tensor conv1d(const ConvShape& shape, const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor conv_transpose1d(const ConvShape& shape, const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, bool gelu);
Tensor batch_norm_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, RunningMoments& running,
                       bool training);
Tensor mamba_stack(const MambaShape& shape, const Tensor& h, const std::vector<Tensor>& layers);
Attention attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& sigma);
Tensor mean_square(const Tensor& prediction, const Tensor& target);

}  // namespace cmr::ops::reference
