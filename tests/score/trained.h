#pragma once
// Detectors with a network that is trained for them, or without one.

#include "score/simulated.h"
#include "train/fit.h"

namespace cmr::test {

// A network that a test has the time for.
inline recipe::Recipe quick_to_train(recipe::Recipe recipe) {
    recipe.model.width = 32;
    recipe.model.layers = 2;
    recipe.train.max_epochs = 8;
    recipe.train.learning_rate = 0.002;
    return recipe;
}

inline score::Detector fit_trained(const data::Dataset& dataset, const recipe::Recipe& recipe) {
    train::FitOptions options;
    options.seed = 7;
    const data::Fold fold = data::make_folds(dataset, recipe).front();
    model::Preprocessing preprocessing = model::prepare(dataset, recipe, fold);
    model::Model network = train::fit(dataset, recipe, fold, preprocessing, options).model;
    const score::Provenance origin{recipe::to_toml(recipe), fold.name, 0, 7, data::fingerprint(dataset),
                                   std::string(version())};
    return score::fit_detector(dataset, recipe, fold, std::move(preprocessing), std::move(network), origin);
}

inline score::Detector fit(const data::Dataset& dataset, const recipe::Recipe& recipe, bool trained) {
    return trained ? fit_trained(dataset, recipe) : fit_bare(dataset, recipe);
}

}  // namespace cmr::test
