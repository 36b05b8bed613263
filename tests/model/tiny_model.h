#pragma once
// Models small enough to try everything on: the widths are a tenth of the usual ones, the structure is the same.

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "model/config.h"
#include "model/model_file.h"
#include "model/parameters.h"

namespace cmr::model {

// Two cause channels that share an encoder, one effect channel, every kind of decoder. No dropout.
inline Config tiny_config() {
    Config config;
    config.groups = {{.name = "current", .effect = false, .channels = 2},
                     {.name = "vibration", .effect = true, .channels = 1}};
    config.width = 16;
    config.layers = 2;
    config.state = 4;
    config.rank = 2;
    config.dropout = 0.0;
    config.cause_weight = 0.75;
    return config;
}

// Effects in two groups, one of them with two channels, around the cause.
inline Config tiny_config_of_many_effects() {
    Config config = tiny_config();
    config.groups = {{.name = "pressure", .effect = true, .channels = 2},
                     {.name = "valve", .effect = false, .channels = 3},
                     {.name = "level", .effect = true, .channels = 1}};
    config.cause_weight = 0.0;
    return config;
}

inline Model new_model(const Config& config, uint64_t seed = 1) {
    return {.source = "new", .config = config, .tensors = initial_parameters(config, Rng(seed))};
}

inline std::vector<float> random_values(int64_t count, uint64_t seed) {
    Rng rng(seed);
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = static_cast<float>(rng.normal());
    return values;
}

// A model whose running moments and norms are not those of a new one, as after training.
inline Model used_model(const Config& config, uint64_t seed = 1) {
    Model model = new_model(config, seed);
    for (io::NamedTensor& tensor : model.tensors) {
        Rng rng = Rng(seed).split("used").split(tensor.name);
        const bool spread = tensor.name.ends_with("running_variance");
        for (float& v : tensor.values)
            v = spread ? static_cast<float>(rng.uniform(0.2, 3.0)) : v + static_cast<float>(0.1 * rng.normal());
    }
    return model;
}

}  // namespace cmr::model
