#include "model/preprocessing.h"

#include <algorithm>

#include "data/window_matrix.h"
#include "kernels/precision.h"
#include "model/encoder.h"
#include "model/methods/method.h"

namespace cmr::model {
namespace {

// A sensor that sends 1e38 for "no value" is far off, and its squares must still be numbers.
Matrix clamp_samples(Matrix samples) {
    for (float& value : samples.values) value = std::clamp(value, -kLargestSample, kLargestSample);
    return samples;
}

Matrix scaled(const data::Scaler& scaler, const std::vector<int64_t>& channels, const MatrixView& raw, int64_t length) {
    Matrix out(raw.rows, std::ssize(channels) * length);
    for (int64_t i = 0; i < out.rows; ++i) {
        float* to = out.row(i).data();
        for (const int64_t channel : channels)
            for (const float value : raw.row(i).subspan(channel * length, length)) *to++ = scaler.apply(channel, value);
    }
    return out;
}

// The paper scales Paderborn by its six healthy bearings, and each plant by its training windows.
std::vector<data::Window> scaling_windows(const recipe::Split& split, const data::Fold& fold) {
    std::vector<data::Window> out = fold.train;
    if (split.protocol == "paper" && split.kind == "leave-units-out")
        out.insert(out.end(), fold.validation.begin(), fold.validation.end());
    return out;
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

Matrix Preprocessing::cause_windows(const MatrixView& raw, int64_t length) const {
    return clamp_samples(scaled(scaler, causes, raw, length));
}

Matrix Preprocessing::effect_windows(const MatrixView& raw, int64_t length) const {
    return clamp_samples(scaled(scaler, effects, raw, length));
}

std::string effect_input(const recipe::Model& settings) {
    return method_named(settings.method).knows_causes ? settings.effect_input : "signal";
}

Preprocessing prepare(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold) {
    const int64_t length = recipe.window.length;
    data::Scaler scaler = data::fit_scaler(dataset, data::covered(scaling_windows(recipe.split, fold), length));
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
    Config config;
    static_cast<recipe::Model&>(config) = recipe.model;
    config.effect_input = effect_input(recipe.model);
    config.precision = kernels::name(config.scoring_precision());
    kernels::kernels(config.scoring_precision());  // says now, and not after an hour, where it cannot be had
    if (recipe.split.protocol == "paper") config.waveform_weight = 0;  // the paper's loss knows no such term
    std::optional<linear::LaggedRidge> innovation;
    if (config.effect_input != "signal")
        innovation.emplace(dataset, scaler, data::covered(fold.train, length), causes, effects, recipe.score.lags);
    Inputs inputs(named(causes), named(effects), config.effect_input, std::move(innovation));
    config.groups = inputs.groups();
    check(config, recipe.name);
    return {std::move(scaler), causes, effects, std::move(inputs), std::move(config)};
}

}  // namespace cmr::model
