#include "model/parameters.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "model/methods/method.h"

namespace cmr::model {
namespace {

void fill(const ParameterSpec& spec, Rng rng, std::vector<float>& values) {
    switch (spec.init) {
        case Init::zeros:
            return;
        case Init::ones:
            std::fill(values.begin(), values.end(), 1.0f);
            return;
        case Init::uniform:
            for (float& v : values) v = static_cast<float>(rng.uniform(-spec.bound, spec.bound));
            return;
        case Init::log_states:
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<float>(std::log(static_cast<double>(i % spec.shape[1] + 1)));
            return;
        case Init::step_bias:
            for (float& v : values) {
                const double step = std::exp(rng.uniform(std::log(1e-3), std::log(1e-1)));
                v = static_cast<float>(step + std::log(-std::expm1(-step)));  // softplus, inverted
            }
            return;
        case Init::identity:
            for (int64_t i = 0; i < spec.shape[0]; ++i) values[i * spec.shape[1] + i] = 1.0f;
            return;
    }
}

}  // namespace

int64_t ParameterSpec::size() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::vector<ParameterSpec> parameter_specs(const Config& config, int64_t most) {
    Specs specs(most);
    method_named(config.method).parameters(specs, config);
    return specs.take();
}

int64_t parameter_count(const Config& config) {
    int64_t count = 0;
    for (const ParameterSpec& spec : parameter_specs(config))
        if (spec.trained) count += spec.size();
    return count;
}

std::vector<io::NamedTensor> initial_parameters(const Config& config, const Rng& rng) {
    check(config, "new model");
    std::vector<io::NamedTensor> tensors;
    for (const ParameterSpec& spec : parameter_specs(config)) {
        io::NamedTensor tensor{spec.name, spec.shape, std::vector<float>(spec.size(), 0.0f)};
        fill(spec, rng.split(spec.name), tensor.values);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace cmr::model
