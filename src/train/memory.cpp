#include "model/methods/method.h"
#include "model/parameters.h"
#include "train/fit.h"

namespace cmr::train {

// Floats that live at the same time; measured against the peak of real steps (tests/train/memory_test.cpp).
int64_t memory_of_training(const model::Config& config, int64_t batch, int64_t length) {
    const int64_t kept = batch * model::method_named(config.method).floats_per_window(config, length);
    const int64_t samples = 4 * batch * config.channels() * length;
    // Value, gradient and two moments; last good value and moments; best value. Writing a checkpoint copies value,
    // moments and best value twice.
    const int64_t states = 16 * model::parameter_count(config);
    return 4 * (kept + samples + states) + (int64_t{200} << 20);  // and libtorch itself
}

}  // namespace cmr::train
