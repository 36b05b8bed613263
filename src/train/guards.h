#pragma once
// A model that learned nothing must not pass for one that did.

#include "base/matrix.h"
#include "model/model_file.h"

namespace cmr::train {

// Throws InputError, saying what is wrong and what to try, where
// - a weight is not finite,
// - the effect embeddings of validation windows [windows, channels · length] hardly differ (collapsed), or
// - the best validation loss is no better than that of the network before training.
void check_alive(const model::Model& model, double untrained_loss, double best_loss, const MatrixView& windows,
                 int64_t length);

}  // namespace cmr::train
