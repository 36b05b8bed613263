#include "model/methods/rival.h"
#include "model/parameters.h"
#include "train/fit.h"

namespace cmr::train {

// Floats that live at the same time; measured against the peak of real steps (tests/train/memory_test.cpp).
int64_t memory_of_training(const model::Config& config, int64_t batch, int64_t length) {
    const int64_t parameters = model::parameter_count(config);
    if (const model::RivalKind* rival = model::find_rival(config.method))
        return 4 * (batch * rival->floats_per_window(config, length) + 4 * batch * config.channels() * length +
                    16 * parameters) +
               (int64_t{200} << 20);
    const int64_t tokens = config.tokens(length), width = config.width, layers = config.layers;
    const int64_t rows = batch * config.channels() * tokens;  // tokens of all channels
    // Embeddings whole, cut and their gradients, the stem before and behind its norm, and what each layer keeps.
    const int64_t encoders = rows * width * (6 + 6 * layers);
    const int64_t wide = batch * tokens;
    // Causes side by side, joined, and both gradients; effects side by side, joined, predicted, and the gradient.
    const int64_t predictor =
        wide * (config.hidden() * (4 * config.predictor_blocks + 6) + 4 * width * config.channels());
    const int64_t decoder = batch * (6 * tokens * width + 6 * length * width / 2);  // one at a time
    const int64_t samples = 4 * batch * config.channels() * length;
    // Value, gradient and two moments; last good value and moments; best value. Writing a checkpoint copies value,
    // moments and best value twice.
    const int64_t states = 16 * parameters;
    return 4 * (encoders + predictor + decoder + samples + states) + (int64_t{200} << 20);  // and libtorch itself
}

}  // namespace cmr::train
