// Where things lie in the three blocks of floats that a Mamba layer uses: packed weights, gradient sums, scratch.
// Included by per-ISA sources.
#pragma once

#include "kernels/gemm.inl"
#include "kernels/kernels.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

// Hands out consecutive pieces, each starting on a cache line.
struct Pieces {
    int64_t used = 0;
    CMR_INLINE int64_t take(int64_t floats) {
        const int64_t at = used;
        used += (floats + 15) / 16 * 16;
        return at;
    }
};

struct PackedLayout {
    int64_t norm_weight, norm_bias, conv, conv_bias, dt_bias, a, skip;  // by channel
    int64_t in_proj, x_proj, dt_proj, out_proj;                         // as right-hand sides of the forward products
    int64_t in_back, x_back, dt_back, out_back;                         // of the backward products
    int64_t size;
};

inline PackedLayout packed_layout(const MambaShape& s) {
    Pieces p;
    PackedLayout l;
    const int64_t d = s.inner;
    l.norm_weight = p.take(s.model);
    l.norm_bias = p.take(s.model);
    l.conv = p.take(s.conv * d);
    l.conv_bias = p.take(d);
    l.dt_bias = p.take(d);
    l.a = p.take(s.state * d);
    l.skip = p.take(d);
    l.in_proj = p.take(packed_size(s.model, 2 * d));
    l.x_proj = p.take(packed_size(d, s.projected()));
    l.dt_proj = p.take(packed_size(s.rank, d));
    l.out_proj = p.take(packed_size(d, s.model));
    l.in_back = p.take(packed_size(2 * d, s.model));
    l.x_back = p.take(packed_size(s.projected(), d));
    l.dt_back = p.take(packed_size(d, s.rank));
    l.out_back = p.take(packed_size(s.model, d));
    l.size = p.used;
    return l;
}

struct GradientLayout {
    int64_t norm_weight, norm_bias, conv, conv_bias, dt_bias, a, skip;
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

struct ScratchLayout {
    int64_t normed, u, delta, y;                                               // either direction
    int64_t pre, d_y, d_u, d_delta, d_xz, d_projected, d_normed, d_bc, panel;  // the way back
    int64_t size;
};

inline ScratchLayout scratch_layout(const MambaShape& s) {
    Pieces p;
    ScratchLayout l;
    l.normed = p.take(kChunk * s.model);
    l.u = p.take(kChunk * s.row());
    l.delta = p.take(kChunk * s.row());
    l.y = p.take(kChunk * s.row());
    l.pre = p.take((kChunk + s.conv - 1) * s.row());
    l.d_y = p.take(kChunk * s.row());
    l.d_u = p.take(kChunk * s.row());
    l.d_delta = p.take(kChunk * s.row());
    l.d_xz = p.take(kChunk * s.xz_row());
    l.d_projected = p.take(kChunk * s.projected());
    l.d_normed = p.take(kChunk * s.model);
    l.d_bc = p.take(kScanBlock * s.state * 2 * kLanes);
    l.panel = p.take(kDepth * kPanel);
    l.size = p.used;
    return l;
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
