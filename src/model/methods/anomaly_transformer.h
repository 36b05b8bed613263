#pragma once
// Sizes of the Anomaly Transformer (Xu et al. 2022), shared by training and scoring.

#include <cmath>
#include <vector>

#include "kernels/conv.h"
#include "model/config.h"

namespace cmr::model {

inline constexpr int64_t kAtLayers = 3;
inline constexpr float kAtTemperature = 50.0f;       // of the score's softmax over time
inline constexpr double kAtDiscrepancyWeight = 3.0;  // in the loss

// Heads of 16 features where the width allows.
inline int64_t at_heads(const Config& config) {
    for (const int64_t heads : {8, 4, 2})
        if (config.width % heads == 0) return heads;
    return 1;
}

// A token is a sample; of long windows `stem_stride` samples, as for CMR.
inline int64_t at_stride(const Config& config, int64_t length) { return length > 512 ? config.stem_stride : 1; }

// Tokens see their neighbours, too. One weight serves both strides.
inline kernels::ConvShape at_embedding(const Config& config, int64_t length) {
    const int64_t stride = at_stride(config, length), kernel = 2 * config.stem_stride - 1;
    return {.in = config.channels(),
            .out = config.width,
            .kernel = kernel,
            .stride = stride,
            .pad_left = kernel / 2,
            .pad_right = kernel / 2 + (stride - length % stride) % stride};
}

// Sines and cosines of the place, [tokens, width].
inline std::vector<float> at_places(int64_t tokens, int64_t width) {
    std::vector<float> out(tokens * width);
    for (int64_t t = 0; t < tokens; ++t)
        for (int64_t f = 0; f < width; ++f) {
            const double angle = static_cast<double>(t) *
                                 std::pow(10'000.0, -static_cast<double>(f / 2 * 2) / static_cast<double>(width));
            out[t * width + f] = static_cast<float>(f % 2 == 0 ? std::sin(angle) : std::cos(angle));
        }
    return out;
}

}  // namespace cmr::model
