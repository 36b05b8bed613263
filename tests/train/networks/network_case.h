#pragma once
// What the tests of the training network share.

#include <torch/types.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/tiny_model.h"
#include "train/networks/cmr_network.h"

namespace cmr::train {

using model::new_model;
using model::random_values;
using model::tiny_config;
using model::tiny_config_of_many_effects;
using model::used_model;

inline torch::Tensor tensor_of(const std::vector<float>& values, std::vector<int64_t> shape) {
    return torch::tensor(values).reshape(shape).contiguous();
}

inline std::vector<float> values_of(const torch::Tensor& tensor) {
    const torch::Tensor plain = tensor.detach().contiguous();
    return {plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()};
}

inline torch::Tensor random_windows(const Config& config, int64_t batch, int64_t length, uint64_t seed = 1) {
    return tensor_of(random_values(batch * config.channels() * length, seed), {batch, config.channels(), length});
}

// Causes are sums of two tones; effects follow them through a filter and a square. A network can learn this.
inline torch::Tensor machine_windows(const Config& config, int64_t batch, int64_t length, uint64_t seed = 1) {
    Rng rng(seed);
    torch::Tensor windows = torch::zeros({batch, config.channels(), length});
    auto at = windows.accessor<float, 3>();
    for (int64_t b = 0; b < batch; ++b) {
        const double phase = rng.uniform(0.0, 6.28), other = rng.uniform(0.0, 6.28);
        for (int64_t c = 0; c < config.channels(); ++c)
            for (int64_t t = 0; t < length; ++t) {
                const double time = static_cast<double>(t);
                const double drive =
                    std::sin(0.11 * time + phase + static_cast<double>(c)) + 0.5 * std::sin(0.043 * time + other);
                at[b][c][t] = static_cast<float>(c < 2 ? drive : drive * drive - 0.6);
            }
    }
    return windows;
}

// The gradients by name; parameters that got none are left out.
inline std::map<std::string, torch::Tensor> gradients_of(const Network& network) {
    std::map<std::string, torch::Tensor> gradients;
    for (const Parameter& p : network.parameters())
        if (p.value.grad().defined()) gradients[p.name] = p.value.grad().clone();
    return gradients;
}

inline double largest(const torch::Tensor& t) { return t.abs().max().item<double>(); }

inline double difference(const torch::Tensor& found, const torch::Tensor& wanted) {
    return largest(found - wanted) / std::max(largest(wanted), 1e-6);
}

inline void expect_same_bits(const Model& found, const Model& wanted, const std::string& what) {
    ASSERT_EQ(found.tensors.size(), wanted.tensors.size());
    for (size_t i = 0; i < found.tensors.size(); ++i)
        EXPECT_EQ(found.tensors[i].values, wanted.tensors[i].values) << what << ": " << found.tensors[i].name;
}

}  // namespace cmr::train
