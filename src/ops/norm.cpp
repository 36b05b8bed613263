#include "kernels/norm.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/check.h"
#include "ops/ops.h"

namespace cmr::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

int64_t rows_of(const Tensor& x) { return x.numel() / x.size(-1); }

struct LayerNorm : torch::autograd::Function<LayerNorm> {
    static Variable forward(AutogradContext* ctx, const Variable& x, const Variable& weight, const Variable& bias,
                            bool gelu) {
        ctx->save_for_backward({x, weight, bias});
        ctx->saved_data["gelu"] = gelu;
        Tensor y = at::empty_like(x);
        kernels::layer_norm_forward(rows_of(x), x.size(-1), x.data_ptr<float>(), weight.data_ptr<float>(),
                                    bias.data_ptr<float>(), gelu, y.data_ptr<float>());
        return y;
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
        const Tensor dy = gradients[0].contiguous();
        Tensor dx = at::empty_like(x), d_weight = at::empty_like(weight), d_bias = at::empty_like(bias);
        kernels::layer_norm_backward(rows_of(x), x.size(-1), x.data_ptr<float>(), weight.data_ptr<float>(),
                                     bias.data_ptr<float>(), ctx->saved_data["gelu"].toBool(), dy.data_ptr<float>(),
                                     dx.data_ptr<float>(), d_weight.data_ptr<float>(), d_bias.data_ptr<float>());
        return {dx, d_weight, d_bias, {}};
    }
};

kernels::BatchMoments moments_of(const Tensor& mean, const Tensor& variance) {
    const auto copy = [](const Tensor& t) {
        return std::vector<float>(t.data_ptr<float>(), t.data_ptr<float>() + t.numel());
    };
    return {copy(mean), copy(variance)};
}

Tensor tensor_of(const std::vector<float>& values, const at::TensorOptions& options) {
    Tensor t = at::empty({static_cast<int64_t>(values.size())}, options);
    std::copy(values.begin(), values.end(), t.data_ptr<float>());
    return t;
}

Tensor normalise(const Tensor& x, const kernels::BatchMoments& moments, const Tensor& weight, const Tensor& bias) {
    Tensor y = at::empty_like(x);
    kernels::batch_norm_gelu_forward(rows_of(x), x.size(-1), x.data_ptr<float>(), moments, weight.data_ptr<float>(),
                                     bias.data_ptr<float>(), y.data_ptr<float>());
    return y;
}

struct BatchNormGelu : torch::autograd::Function<BatchNormGelu> {
    static Variable forward(AutogradContext* ctx, const Variable& x, const Variable& weight, const Variable& bias,
                            const kernels::BatchMoments& moments) {
        const auto options = x.options().requires_grad(false);
        ctx->save_for_backward(
            {x, weight, bias, tensor_of(moments.mean, options), tensor_of(moments.variance, options)});
        return normalise(x, moments, weight, bias);
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
        const Tensor dy = gradients[0].contiguous();
        Tensor dx = at::empty_like(x), d_weight = at::empty_like(weight), d_bias = at::empty_like(bias);
        kernels::batch_norm_gelu_backward(rows_of(x), x.size(-1), x.data_ptr<float>(), moments_of(saved[3], saved[4]),
                                          weight.data_ptr<float>(), bias.data_ptr<float>(), dy.data_ptr<float>(),
                                          dx.data_ptr<float>(), d_weight.data_ptr<float>(), d_bias.data_ptr<float>());
        return {dx, d_weight, d_bias, {}};
    }
};

void check_norm(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    check_tensor(x, "x", x.sizes());
    check_tensor(weight, "weight", {x.size(-1)});
    check_tensor(bias, "bias", {x.size(-1)});
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, bool gelu) {
    check_norm(x, weight, bias);
    return LayerNorm::apply(x, weight, bias, gelu);
}

Tensor batch_norm_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, RunningMoments& running,
                       bool training) {
    check_norm(x, weight, bias);
    if (!training) return normalise(x, moments_of(running.mean, running.variance), weight, bias);
    const int64_t rows = rows_of(x), n = x.size(-1);
    TORCH_CHECK(rows > 1, "batch normalisation needs more than one row to train");
    const kernels::BatchMoments moments = kernels::batch_moments(rows, n, x.data_ptr<float>());
    const auto keep = static_cast<float>(1.0 - running.momentum), take = static_cast<float>(running.momentum);
    const float unbiased = static_cast<float>(rows) / static_cast<float>(rows - 1);
    for (int64_t j = 0; j < n; ++j) {
        float& mean = running.mean.data_ptr<float>()[j];
        float& variance = running.variance.data_ptr<float>()[j];
        mean = keep * mean + take * moments.mean[j];
        variance = keep * variance + take * moments.variance[j] * unbiased;
    }
    return BatchNormGelu::apply(x, weight, bias, moments);
}

}  // namespace cmr::ops
