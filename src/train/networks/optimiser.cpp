#include "train/networks/optimiser.h"

#include <cmath>

#include "base/error.h"
#include "kernels/elementwise.h"

namespace cmr::train {

Optimiser::Optimiser(const std::vector<Parameter>& parameters, const OptimiserSettings& settings)
    : parameters_(parameters), settings_(settings) {
    for (const Parameter& p : parameters_)
        state_.moments.push_back(
            {std::vector<float>(p.value.numel(), 0.0f), std::vector<float>(p.value.numel(), 0.0f)});
}

void Optimiser::restore(State state) {
    CMR_ASSERT(state.moments.size() == parameters_.size(), "the state of the same parameters");
    state_ = std::move(state);
}

double Optimiser::step() {
    double squares = 0.0;
    for (const Parameter& p : parameters_)
        if (p.value.grad().defined())
            squares += kernels::sum_of_squares(p.value.numel(), p.value.grad().data_ptr<float>());
    const double norm = std::sqrt(squares);
    if (std::isfinite(norm)) {
        ++state_.steps;
        kernels::AdamWStep step{.rate = settings_.rate,
                                .weight_decay = settings_.weight_decay,
                                .beta1 = settings_.beta1,
                                .beta2 = settings_.beta2,
                                .step = state_.steps};
        if (settings_.largest_norm > 0 && norm > settings_.largest_norm)
            step.gradient_scale = settings_.largest_norm / (norm + 1e-6);
        for (size_t i = 0; i < parameters_.size(); ++i) {
            const Tensor& value = parameters_[i].value;
            if (!value.grad().defined()) continue;
            kernels::adamw(step, value.numel(), value.grad().data_ptr<float>(), value.data_ptr<float>(),
                           state_.moments[i].mean.data(), state_.moments[i].square.data());
        }
    }
    discard();
    return norm;
}

void Optimiser::discard() {
    for (const Parameter& p : parameters_) p.value.mutable_grad().reset();
}

}  // namespace cmr::train
