#pragma once
// What every op asks of its tensors.

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <initializer_list>

namespace cmr::ops {

inline void check_tensor(const at::Tensor& tensor, const char* name, at::IntArrayRef shape) {
    TORCH_CHECK(tensor.defined() && tensor.scalar_type() == at::kFloat && tensor.device().is_cpu(), name,
                " must be a float32 CPU tensor");
    TORCH_CHECK(tensor.sizes() == shape, name, " has shape ", tensor.sizes(), ", expected ", shape);
    TORCH_CHECK(tensor.is_contiguous(), name, " must be contiguous");
}

inline const float* data_or_null(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

}  // namespace cmr::ops
