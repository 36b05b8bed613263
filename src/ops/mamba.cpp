#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>

#include "kernels/mamba_stack.h"
#include "ops/check.h"
#include "ops/ops.h"

namespace cmr::ops {
namespace {

using kernels::MambaStack;
using kernels::MambaTape;
using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

template <typename Float>
std::vector<kernels::MambaTensors<Float>> views(at::TensorList tensors) {
    std::vector<kernels::MambaTensors<Float>> layers;
    for (size_t i = 0; i + kTensorsPerMambaLayer <= tensors.size(); i += kTensorsPerMambaLayer) {
        const auto at = [&](size_t k) -> Float* { return tensors[i + k].data_ptr<float>(); };
        layers.push_back({at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10)});
    }
    return layers;
}

}  // namespace

// Steps repeat themselves, so tapes come back in the order in which the next step asks for them: first in, first out.
class TapePool {
  public:
    MambaTape take() {
        const std::lock_guard lock(mutex_);
        if (tapes_.empty()) return {};
        MambaTape tape = std::move(tapes_.front());
        tapes_.pop_front();
        return tape;
    }
    void give(MambaTape tape) {
        const std::lock_guard lock(mutex_);
        tapes_.push_back(std::move(tape));
    }

  private:
    std::mutex mutex_;
    std::deque<MambaTape> tapes_;
};

std::shared_ptr<TapePool> new_tape_pool() { return std::make_shared<TapePool>(); }

namespace {

// What the way back needs; gigabytes, so it is given back as soon as it is used.
struct Tape : torch::CustomClassHolder {
    explicit Tape(std::shared_ptr<TapePool> from) : pool(std::move(from)) {
        if (pool) tape = pool->take();
    }
    ~Tape() override {
        if (pool) pool->give(std::move(tape));
    }
    std::shared_ptr<TapePool> pool;
    std::optional<MambaStack> stack;
    MambaTape tape;
};

struct MambaFunction : torch::autograd::Function<MambaFunction> {
    static Variable forward(AutogradContext* ctx, const Variable& h, at::TensorList layers, const MambaShape& shape,
                            const std::shared_ptr<TapePool>& pool) {
        auto tape = c10::make_intrusive<Tape>(pool);
        const auto weights = views<const float>(layers);
        tape->stack.emplace(shape, weights);
        Tensor out = h.clone();
        tape->stack->forward(out.size(0), out.size(1), out.data_ptr<float>(), tape->tape);
        ctx->save_for_backward(layers.vec());
        ctx->saved_data["tape"] = at::IValue::make_capsule(std::move(tape));
        return out;
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        TORCH_CHECK(ctx->saved_data.count("tape"), "a Mamba stack can be differentiated once per forward pass");
        const auto holder = ctx->saved_data["tape"].toCapsule();
        ctx->saved_data.erase("tape");
        const auto& tape = static_cast<const Tape&>(*holder);
        const variable_list layers = ctx->get_saved_variables();
        variable_list out;
        for (const Tensor& layer : layers) out.push_back(at::empty_like(layer));
        Tensor d_h = gradients[0].clone(at::MemoryFormat::Contiguous);
        tape.stack->backward(tape.tape, d_h.data_ptr<float>(), views<const float>(layers), views<float>(out));
        out.insert(out.begin(), d_h);
        out.resize(out.size() + 2);  // shape and pool have no gradient
        return out;
    }
};

}  // namespace

Tensor mamba_stack(const MambaShape& s, const Tensor& h, const std::vector<Tensor>& layers,
                   const std::shared_ptr<TapePool>& pool) {
    TORCH_CHECK(h.dim() == 3 && h.size(1) >= 1, "h must be [windows, tokens, model] with at least one token");
    check_tensor(h, "h", {h.size(0), h.size(1), s.model});
    TORCH_CHECK(layers.size() % kTensorsPerMambaLayer == 0, "expected ", kTensorsPerMambaLayer, " tensors per layer");
    const int64_t shapes[kTensorsPerMambaLayer][2] = {{s.model, 1},      {s.model, 1},      {2 * s.inner, s.model},
                                                      {s.inner, s.conv}, {s.inner, 1},      {s.projected(), s.inner},
                                                      {s.inner, s.rank}, {s.inner, 1},      {s.inner, s.state},
                                                      {s.inner, 1},      {s.model, s.inner}};
    for (size_t i = 0; i < layers.size(); ++i) {
        const auto& want = shapes[i % kTensorsPerMambaLayer];
        TORCH_CHECK(layers[i].numel() == want[0] * want[1] && layers[i].size(0) == want[0], "tensor ", i,
                    " of the Mamba layers has shape ", layers[i].sizes(), ", expected ", want[0], " x ", want[1]);
        check_tensor(layers[i], "a Mamba tensor", layers[i].sizes());
    }
    const auto needs = [](const Tensor& t) { return t.requires_grad(); };
    if (at::GradMode::is_enabled() && (needs(h) || std::any_of(layers.begin(), layers.end(), needs)))
        return MambaFunction::apply(h, at::TensorList(layers), s, pool);
    Tensor out = h.clone();
    MambaStack(s, views<const float>(layers)).forward(out.size(0), out.size(1), out.data_ptr<float>());
    return out;
}

}  // namespace cmr::ops
