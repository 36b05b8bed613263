#pragma once
// Where the sums of a Mamba layer's gradients lie, in the order of the kernels' channels.

#include <cstdint>

#include "kernels/kernels.h"

namespace cmr::kernels {

// Hands out consecutive pieces, each starting on a cache line.
struct Pieces {
    int64_t used = 0;
    int64_t take(int64_t floats) {
        const int64_t at = used;
        used += (floats + 15) / 16 * 16;
        return at;
    }
};

struct GradientLayout {
    int64_t norm_weight, norm_bias, conv_bias, dt_bias, skip;
    int64_t conv;      // [conv, inner]
    int64_t a;         // [state, inner]: of A = -exp(a_log)
    int64_t in_proj;   // [2 inner, model]
    int64_t x_proj;    // [projected, inner]
    int64_t dt_proj;   // [inner, rank]
    int64_t out_proj;  // [model, inner]
    int64_t size;
};

inline GradientLayout gradient_layout(const MambaShape& s) {
    Pieces p;
    GradientLayout l;
    const int64_t d = s.inner;
    l.norm_weight = p.take(s.model);
    l.norm_bias = p.take(s.model);
    l.conv = p.take(s.conv * d);
    l.conv_bias = p.take(d);
    l.dt_bias = p.take(d);
    l.a = p.take(s.state * d);
    l.skip = p.take(d);
    l.in_proj = p.take(2 * d * s.model);
    l.x_proj = p.take(s.projected() * d);
    l.dt_proj = p.take(d * s.rank);
    l.out_proj = p.take(s.model * d);
    l.size = p.used;
    return l;
}

}  // namespace cmr::kernels
