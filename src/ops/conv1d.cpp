#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/check.h"
#include "ops/ops.h"

namespace cmr::ops {
namespace {

using kernels::ConvWeights;
using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

c10::optional<Tensor> given(const Tensor& bias) { return bias.defined() ? c10::optional<Tensor>(bias) : c10::nullopt; }

void save_shape(AutogradContext* ctx, const ConvShape& s) {
    ctx->saved_data["shape"] = std::vector<int64_t>{
        s.in, s.out, s.kernel, s.stride, s.pad_left, s.pad_right, static_cast<int64_t>(s.precision)};
}

ConvShape saved_shape(AutogradContext* ctx) {
    const auto s = ctx->saved_data["shape"].toIntVector();
    return {s[0], s[1], s[2], s[3], s[4], s[5], static_cast<kernels::Precision>(s[6])};
}

Tensor column_sums(const Tensor& rows) {
    Tensor sums = at::empty({rows.size(-1)}, rows.options());
    kernels::column_sums(rows.numel() / rows.size(-1), rows.size(-1), rows.data_ptr<float>(), sums.data_ptr<float>());
    return sums;
}

Tensor run_forward(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const ConvWeights packed(s, weight.data_ptr<float>(), ConvWeights::For::forward);
    Tensor y = at::empty({x.size(0), s.out_length(x.size(1)), s.out}, x.options());
    kernels::conv_forward(s, packed, x.size(0), x.size(1), x.data_ptr<float>(), data_or_null(bias),
                          y.data_ptr<float>());
    return y;
}

Tensor run_backward_data(const ConvShape& s, const Tensor& y, const Tensor& weight, const Tensor& bias,
                         int64_t length) {
    const ConvWeights packed(s, weight.data_ptr<float>(), ConvWeights::For::backward_data);
    Tensor x = at::empty({y.size(0), length, s.in}, y.options());
    kernels::conv_backward_data(s, packed, y.size(0), length, y.data_ptr<float>(), data_or_null(bias),
                                x.data_ptr<float>());
    return x;
}

Tensor run_backward_weight(const ConvShape& s, const Tensor& x, const Tensor& y) {
    Tensor d_weight = at::empty({s.out, s.in, s.kernel}, x.options());
    kernels::conv_backward_weight(s, x.size(0), x.size(1), x.data_ptr<float>(), y.data_ptr<float>(),
                                  d_weight.data_ptr<float>());
    return d_weight;
}

struct Conv1d : torch::autograd::Function<Conv1d> {
    static Variable forward(AutogradContext* ctx, const Variable& x, const Variable& weight,
                            const c10::optional<Variable>& bias, const ConvShape& s) {
        ctx->save_for_backward({x, weight});
        ctx->saved_data["bias"] = bias.has_value();
        save_shape(ctx, s);
        return run_forward(s, x, weight, bias.value_or(Tensor()));
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const ConvShape s = saved_shape(ctx);
        const Tensor dy = gradients[0].contiguous();
        variable_list out(4);
        if (ctx->needs_input_grad(0)) out[0] = run_backward_data(s, dy, saved[1], {}, saved[0].size(1));
        if (ctx->needs_input_grad(1)) out[1] = run_backward_weight(s, saved[0], dy);
        if (ctx->saved_data["bias"].toBool()) out[2] = column_sums(dy);
        return out;
    }
};

struct ConvTranspose1d : torch::autograd::Function<ConvTranspose1d> {
    static Variable forward(AutogradContext* ctx, const Variable& x, const Variable& weight,
                            const c10::optional<Variable>& bias, const ConvShape& s) {
        ctx->save_for_backward({x, weight});
        ctx->saved_data["bias"] = bias.has_value();
        save_shape(ctx, s);
        const int64_t length = (x.size(1) - 1) * s.stride - s.pad_left - s.pad_right + s.kernel;
        return run_backward_data(s, x, weight, bias.value_or(Tensor()), length);
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const ConvShape s = saved_shape(ctx);
        const Tensor dy = gradients[0].contiguous();
        variable_list out(4);
        if (ctx->needs_input_grad(0)) out[0] = run_forward(s, dy, saved[1], {});
        if (ctx->needs_input_grad(1)) out[1] = run_backward_weight(s, dy, saved[0]);
        if (ctx->saved_data["bias"].toBool()) out[2] = column_sums(dy);
        return out;
    }
};

}  // namespace

Tensor conv1d(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    TORCH_CHECK(x.dim() == 3, "x must be [windows, length, in]");
    check_tensor(x, "x", {x.size(0), x.size(1), s.in});
    check_tensor(weight, "weight", {s.out, s.in, s.kernel});
    if (bias.defined()) check_tensor(bias, "bias", {s.out});
    TORCH_CHECK(x.size(1) + s.pad_left + s.pad_right >= s.kernel, "the window is shorter than the kernel");
    return Conv1d::apply(x, weight, given(bias), s);
}

Tensor conv_transpose1d(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    TORCH_CHECK(x.dim() == 3, "x must be [windows, length, in]");
    check_tensor(x, "x", {x.size(0), x.size(1), s.out});
    check_tensor(weight, "weight", {s.out, s.in, s.kernel});
    if (bias.defined()) check_tensor(bias, "bias", {s.in});
    return ConvTranspose1d::apply(x, weight, given(bias), s);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, kernels::Precision precision) {
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    const ConvShape s{.in = weight.size(1), .out = weight.size(0), .precision = precision};
    return conv1d(s, x.reshape({1, -1, x.size(-1)}), weight.unsqueeze(2), bias).view(shape);
}

}  // namespace cmr::ops
