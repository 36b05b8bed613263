#include "train/networks/network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/error.h"
#include "model/encoder.h"
#include "model/parameters.h"

namespace cmr::train {

Network::Network(const Model& model) : config_(model.config) {
    at::set_num_threads(1);  // what takes time has threads of its own; torch's would only spin beside them
    for (const model::ParameterSpec& spec : model::parameter_specs(config_)) {
        Tensor tensor = at::empty(spec.shape, at::kFloat);
        if (spec.trained)
            parameters_.push_back({spec.name, tensor.requires_grad_(true)});
        else
            moments_.push_back(tensor);
        tensors_.emplace(spec.name, tensor);
    }
    restore(model);
}

void Network::restore(const Model& model) {
    for (const model::ParameterSpec& spec : model::parameter_specs(config_)) {
        const float* from = model.at(spec.name);
        std::copy(from, from + spec.size(), at(spec.name).data_ptr<float>());
    }
}

Model Network::snapshot() const {
    Model model{.source = "network", .config = config_, .tensors = {}};
    for (const model::ParameterSpec& spec : model::parameter_specs(config_)) {
        const float* from = at(spec.name).data_ptr<float>();
        model.tensors.push_back({spec.name, spec.shape, {from, from + spec.size()}});
    }
    return model;
}

const Tensor& Network::at(const std::string& name) const {
    const auto found = tensors_.find(name);
    CMR_ASSERT(found != tensors_.end(), "every tensor of the network is in parameter_specs");
    return found->second;
}

ops::RunningMoments Network::running(const std::string& norm) const {
    return {at(norm + ".running_mean"), at(norm + ".running_variance")};
}

Losses Network::train_step(const Tensor& windows, const Step& step) {
    std::vector<Tensor> before;
    for (const Tensor& moments : moments_) before.push_back(moments.clone());
    const Losses losses = run(windows.clamp(-model::kLargestSample, model::kLargestSample), step, true);
    if (!std::isfinite(losses.total))
        for (size_t i = 0; i < moments_.size(); ++i) moments_[i].copy_(before[i]);
    return losses;
}

Losses Network::evaluate(const Tensor& windows, int64_t epoch) {
    const at::NoGradGuard no_gradients;
    return run(windows.clamp(-model::kLargestSample, model::kLargestSample), {Rng(0), epoch}, false);
}

}  // namespace cmr::train
