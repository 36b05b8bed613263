// Where things lie in the packed weights and in the scratch of a Mamba layer. Included by per-ISA sources.
#pragma once

#include "kernels/gemm.inl"
#include "kernels/gradient_layout.h"
#include "kernels/kernels.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

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
