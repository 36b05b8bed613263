#pragma once
// The rows of the table, each in a file of its own.

#include "model/methods/method.h"

namespace cmr::model {

// Of a network that has no optional streams.
template <typename Network>
std::unique_ptr<ScoringNetwork> load_as(const Model& model, const OptionalStreams&) {
    return std::make_unique<Network>(model);
}

Method cmr_method();
Method untrained_method();  // cmr as it begins: what the architecture does without learning
Method ae_method();
Method vae_method();
Method usad_method();
Method svdd_method();
Method anomaly_transformer_method();

}  // namespace cmr::model
