#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/elementwise.h"
#include "ops/check.h"
#include "ops/ops.h"

namespace cmr::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct MeanSquare : torch::autograd::Function<MeanSquare> {
    static Variable forward(AutogradContext* ctx, const Variable& prediction, const Variable& target) {
        ctx->save_for_backward({prediction, target});
        const double loss =
            kernels::mean_square(prediction.numel(), prediction.data_ptr<float>(), target.data_ptr<float>());
        Tensor value = at::empty({}, prediction.options().requires_grad(false));
        *value.data_ptr<float>() =
            static_cast<float>(loss);  // infinite where it does not fit: the step is then skipped
        return value;
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const int64_t n = saved[0].numel();
        const float factor = 2.0f * gradients[0].item<float>() / static_cast<float>(n);
        variable_list out(2);
        for (int side = 0; side < 2; ++side) {
            if (!ctx->needs_input_grad(side)) continue;
            out[side] = at::empty_like(saved[0]);
            kernels::scaled_difference(n, saved[0].data_ptr<float>(), saved[1].data_ptr<float>(),
                                       side == 0 ? factor : -factor, out[side].data_ptr<float>());
        }
        return out;
    }
};

struct Dropout : torch::autograd::Function<Dropout> {
    static Variable forward(AutogradContext* ctx, const Variable& x, double p, int64_t seed) {
        ctx->saved_data["p"] = p;
        ctx->saved_data["seed"] = seed;
        return apply_mask(x, p, seed);
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        return {apply_mask(gradients[0].contiguous(), ctx->saved_data["p"].toDouble(), ctx->saved_data["seed"].toInt()),
                {},
                {}};
    }
    static Tensor apply_mask(const Tensor& x, double p, int64_t seed) {
        Tensor y = at::empty_like(x);
        kernels::dropout(x.numel(), x.data_ptr<float>(), static_cast<float>(p), static_cast<uint64_t>(seed),
                         y.data_ptr<float>());
        return y;
    }
};

}  // namespace

Tensor mean_square(const Tensor& prediction, const Tensor& target) {
    check_tensor(prediction, "prediction", prediction.sizes());
    check_tensor(target, "target", prediction.sizes());
    TORCH_CHECK(prediction.numel() > 0, "the mean of nothing");
    return MeanSquare::apply(prediction, target);
}

Tensor dropout(const Tensor& x, double p, uint64_t seed) {
    check_tensor(x, "x", x.sizes());
    TORCH_CHECK(p >= 0.0 && p < 1.0, "dropout needs 0 <= p < 1, got ", p);
    return p == 0.0 ? x : Dropout::apply(x, p, static_cast<int64_t>(seed));
}

}  // namespace cmr::ops
