#include "kernels/attention.h"

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

kernels::AttentionShape shape_of(const Tensor& q, const Tensor& sigma) {
    return {.windows = q.size(0), .tokens = q.size(1), .width = q.size(2), .heads = sigma.size(2)};
}

struct AttentionFunction : torch::autograd::Function<AttentionFunction> {
    static variable_list forward(AutogradContext* ctx, const Variable& q, const Variable& k, const Variable& v,
                                 const Variable& sigma) {
        const kernels::AttentionShape s = shape_of(q, sigma);
        Tensor out = at::empty_like(q), discrepancy = at::empty_like(sigma);
        Tensor series = at::empty({s.windows, s.heads, s.tokens, s.tokens}, q.options());
        kernels::attention_forward(s, q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(),
                                   sigma.data_ptr<float>(), out.data_ptr<float>(), series.data_ptr<float>(),
                                   discrepancy.data_ptr<float>());
        ctx->save_for_backward({q, k, v, sigma, series});
        return {out, discrepancy, discrepancy.clone()};
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const Tensor &q = saved[0], &k = saved[1], &v = saved[2], &sigma = saved[3], &series = saved[4];
        for (Tensor& gradient : gradients) gradient = gradient.contiguous();
        Tensor dq = at::empty_like(q), dk = at::empty_like(k), dv = at::empty_like(v), d_sigma = at::empty_like(sigma);
        kernels::attention_backward(shape_of(q, sigma), q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(),
                                    sigma.data_ptr<float>(), series.data_ptr<float>(), gradients[0].data_ptr<float>(),
                                    gradients[1].data_ptr<float>(), gradients[2].data_ptr<float>(),
                                    dq.data_ptr<float>(), dk.data_ptr<float>(), dv.data_ptr<float>(),
                                    d_sigma.data_ptr<float>());
        return {dq, dk, dv, d_sigma};
    }
};

}  // namespace

Attention attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& sigma) {
    TORCH_CHECK(q.dim() == 3 && sigma.dim() == 3, "q must be [windows, tokens, width], sigma [windows, tokens, heads]");
    for (const Tensor* t : {&q, &k, &v}) check_tensor(*t, "q, k and v", q.sizes());
    check_tensor(sigma, "sigma", {q.size(0), q.size(1), sigma.size(2)});
    TORCH_CHECK(q.size(2) % sigma.size(2) == 0, "the number of heads must divide the width");
    const variable_list out = AttentionFunction::apply(q, k, v, sigma);
    return {out[0], out[1], out[2]};
}

}  // namespace cmr::ops
