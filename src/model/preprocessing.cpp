#include "model/preprocessing.h"

#include <algorithm>

#include "data/window_matrix.h"
#include "model/encoder.h"

namespace cmr::model {
namespace {

// A sensor that sends 1e38 for "no value" is far off, and its squares must still be numbers.
Matrix clamp_samples(Matrix samples) {
    for (float& value : samples.values) value = std::clamp(value, -kLargestSample, kLargestSample);
    return samples;
}

}  // namespace

Matrix Preprocessing::cause_windows(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                                    int64_t length) const {
    return clamp_samples(data::window_matrix(dataset, scaler, causes, windows, length));
}

Matrix Preprocessing::effect_windows(const data::Dataset& dataset, const std::vector<data::Window>& windows,
                                     int64_t length) const {
    return clamp_samples(data::window_matrix(dataset, scaler, effects, windows, length));
}

Preprocessing prepare(const data::Dataset& dataset, const recipe::Recipe& recipe,
                      const std::vector<data::Window>& train) {
    const std::vector<data::SampleRange> healthy = data::covered(train, recipe.window.length);
    data::Scaler scaler = data::fit_scaler(dataset, healthy);
    const auto used = [&](bool effects) {
        return recipe.screening.prune_constants ? data::moving_channels(dataset, scaler, effects)
                                                : dataset.indices(effects);
    };
    const std::vector<int64_t> causes = used(false), effects = used(true);
    const auto named = [&](const std::vector<int64_t>& channels) {
        std::vector<data::Channel> out;
        for (const int64_t channel : channels) out.push_back(dataset.channels[channel]);
        return out;
    };
    std::optional<linear::LaggedRidge> innovation;
    if (recipe.model.effect_input != "signal")
        innovation.emplace(dataset, scaler, healthy, causes, effects, recipe.score.lags);
    Inputs inputs(named(causes), named(effects), recipe.model.effect_input, std::move(innovation));
    Config config;
    static_cast<recipe::Model&>(config) = recipe.model;
    config.groups = inputs.groups();
    check(config, recipe.name);
    return {std::move(scaler), causes, effects, std::move(inputs), std::move(config)};
}

}  // namespace cmr::model
