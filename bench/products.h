#pragma once
// Floating-point operations in the matrix products of the network: the bound that times are measured against.

#include "model/config.h"

namespace cmr::bench {

struct Products {
    double stem = 0.0;
    double blocks = 0.0;
    double predictor = 0.0;
    double decoders = 0.0;  // with foretold tokens, where they are decoded too

    double inference() const { return stem + blocks + predictor; }
    // Forwards, and the gradients of inputs and weights; samples need no gradient.
    double training() const { return 2.0 * stem + 3.0 * (blocks + predictor + decoders); }
};

// Of one window with `length` samples a channel.
inline Products products_of(const model::Config& c, int64_t length) {
    const auto number = [](int64_t n) { return static_cast<double>(n); };
    const auto s = c.block();
    const double tokens = number(c.tokens(length)), channels = number(c.channels()),
                 effects = number(c.effect_channels());
    const double hidden = number(c.hidden()), width = number(c.width);
    const double block = number(2 * s.inner * s.model + s.projected() * s.inner + s.inner * s.rank + s.model * s.inner);
    Products p;
    p.stem = 2.0 * tokens * channels * number(c.stem_kernel) * width;
    p.blocks = 2.0 * tokens * channels * number(c.layers) * block;
    p.predictor = 2.0 * tokens *
                  (number(c.cause_channels()) * width * hidden +
                   number(c.predictor_blocks * c.predictor_kernel) * hidden * hidden + hidden * effects * width);
    // mix, two that double the rows, and one number per sample
    const double decoder =
        2.0 * tokens * (3 * width * width + 4 * width * width / 2 + 2 * 4 * width / 2 * width / 4 + 4 * 7 * width / 4);
    const bool foretells = c.waveform_weight > 0 && c.effect_weight > 0;
    if (c.effect_weight > 0) p.decoders += decoder * effects * (foretells ? 2.0 : 1.0);
    if (c.cause_weight > 0) p.decoders += decoder * number(c.cause_channels());
    return p;
}

}  // namespace cmr::bench
