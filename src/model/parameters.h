#pragma once
// Every tensor of a model: its name in the model file, shape and initial values. Training and scoring both build on
// this list, so a model has one layout.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"
#include "io/tensors/safetensors.h"
#include "model/config.h"

namespace cmr::model {

enum class Init {
    zeros,
    ones,
    uniform,     // ± bound
    log_states,  // log(1 … state) per inner channel: A of the original Mamba
    step_bias,   // softplus(bias) log-uniform in [1e-3, 1e-1]
    identity,
};

struct ParameterSpec {
    std::string name;
    std::vector<int64_t> shape;
    Init init = Init::zeros;
    double bound = 0.0;
    bool trained = true;  // false: running moments

    int64_t size() const;
};

// As the model's method has them. InputError where there are more than `most`.
std::vector<ParameterSpec> parameter_specs(const Config& config, int64_t most = std::numeric_limits<int64_t>::max());

// Trained numbers of a model.
int64_t parameter_count(const Config& config);

// A new model. A tensor's draws depend on the seed and its name alone.
std::vector<io::NamedTensor> initial_parameters(const Config& config, const Rng& rng);

}  // namespace cmr::model
