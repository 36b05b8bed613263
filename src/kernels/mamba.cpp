// The Mamba-1 block with its pre-normalisation and residual, one chunk of tokens at a time:
//
//     x, z = in_proj(norm(h))            u = silu(conv(x))            Δ', B, C = x_proj(u)
//     Δ = softplus(dt_proj(Δ'))          y = scan(u, Δ, A, B, C, D)   h + out_proj(y silu(z))
//
// Compiled once per instruction set.
#include "kernels/mamba.h"

#include "kernels/gemm.inl"
#include "kernels/mamba_layout.inl"
#include "kernels/norm.inl"
#include "kernels/scan.inl"

namespace cmr::kernels::CMR_KERNEL_ISA {
namespace {

CMR_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void clear(float* p, int64_t floats) {
    for (int64_t i = 0; i < floats; ++i) p[i] = 0.0f;
}

// The convolution has four taps almost always; kTaps = 0 reads their number from the shape.
template <int kTaps>
CMR_INLINE int64_t taps_of(const MambaShape& s) {
    return kTaps ? kTaps : s.conv;
}

// Tokens first … first + tokens - 1 of a chunk, the first of them at place `at` of its window.
struct Piece {
    int64_t first, tokens, at;
};

// The scan blocks of a chunk, or with `longest` = kChunk its windows, as far as they lie in it. `pieces` has room for
// kChunk of them.
CMR_INLINE int64_t cut_pieces(const ChunkPlace& place, int64_t longest, Piece* pieces) {
    int64_t count = 0, at = place.at;
    for (int64_t first = 0; first < place.tokens;) {
        const int64_t tokens = least(least(longest, place.window - at), place.tokens - first);
        pieces[count++] = {first, tokens, at};
        first += tokens;
        at += tokens;
        if (at == place.window) at = 0;
    }
    return count;
}

// pre[t] = bias + Σ_j tap[j] x[t - conv + 1 + j] over the tokens of the same window, u = silu(pre); `pre` is kept where
// not null.
template <int kTaps>
void convolve(const MambaShape& s, const float* packed, const PackedLayout& at, const ChunkPlace& place,
              const float* xz, float* pre, float* u) {
    const int64_t taps = taps_of<kTaps>(s), reach = taps - 1;
    Piece pieces[kChunk];
    const int64_t count = cut_pieces(place, kChunk, pieces);
    for (int64_t c = 0; c < s.inner; c += kLanes) {
        const Vec bias = load(packed + at.conv_bias + c);
        const auto at_token = [&](int64_t t, int64_t absent) CMR_INLINE_LAMBDA {  // taps that reach before the window
            Vec v = bias;
#pragma GCC unroll 4
            for (int64_t j = absent; j < taps; ++j)
                v += load(packed + at.conv + j * s.inner + c) * load(xz + (t - reach + j) * s.xz_row() + c);
            if (pre) store(pre + t * s.row() + c, v);
            store(u + t * s.row() + c, silu(v));
        };
        for (int64_t i = 0; i < count; ++i) {
            const Piece& piece = pieces[i];
            const int64_t end = piece.first + piece.tokens, begin_of_window = piece.first - piece.at;
            int64_t t = piece.first;
            for (; t < least(begin_of_window + reach, end); ++t) at_token(t, begin_of_window + reach - t);
            for (; t < end; ++t) at_token(t, 0);
        }
    }
}

// delta = softplus(dt_proj(projected[:, :rank]) + bias)
void make_delta(const MambaShape& s, const float* packed, const PackedLayout& at, int64_t tokens,
                const float* projected, float* delta) {
    gemm(tokens, s.inner, s.rank, {projected, s.projected(), 1}, packed + at.dt_proj, delta, s.row(), false);
    for (int64_t t = 0; t < tokens; ++t)
        for (int64_t c = 0; c < s.inner; c += kLanes) {
            float* at_c = delta + t * s.row() + c;
            store(at_c, softplus(load(at_c) + load(packed + at.dt_bias + c)));
        }
}

}  // namespace

int64_t mamba_packed_size(const MambaShape& s) { return packed_layout(s).size; }
int64_t mamba_scratch_size(const MambaShape& s) { return scratch_layout(s).size; }

void mamba_pack(const MambaShape& s, const MambaTensors<const float>& w, float* packed) {
    const PackedLayout at = packed_layout(s);
    for (int64_t j = 0; j < s.model; ++j) {
        packed[at.norm_weight + j] = w.norm_weight[j];
        packed[at.norm_bias + j] = w.norm_bias[j];
    }
    for (int64_t c = 0; c < s.inner; ++c) {
        for (int64_t j = 0; j < s.conv; ++j) packed[at.conv + j * s.inner + c] = w.conv_weight[c * s.conv + j];
        for (int64_t n = 0; n < s.state; ++n)
            packed[at.a + n * s.inner + c] = -__builtin_expf(w.a_log[c * s.state + n]) * kLog2e;
        packed[at.conv_bias + c] = w.conv_bias[c];
        packed[at.dt_bias + c] = w.dt_bias[c];
        packed[at.skip + c] = w.skip[c];
    }
    pack(s.model, 2 * s.inner, {w.in_proj, 1, s.model}, packed + at.in_proj);
    pack(s.inner, s.projected(), {w.x_proj, 1, s.inner}, packed + at.x_proj);
    pack(s.rank, s.inner, {w.dt_weight, 1, s.rank}, packed + at.dt_proj);
    pack(s.inner, s.model, {w.out_proj, 1, s.inner}, packed + at.out_proj);
    pack(2 * s.inner, s.model, {w.in_proj, s.model, 1}, packed + at.in_back);
    pack(s.projected(), s.inner, {w.x_proj, s.inner, 1}, packed + at.x_back);
    pack(s.inner, s.rank, {w.dt_weight, s.rank, 1}, packed + at.dt_back);
    pack(s.model, s.inner, {w.out_proj, s.inner, 1}, packed + at.out_back);
}

void mamba_forward(const MambaShape& s, const float* packed, const MambaChunk& chunk, float* scratch) {
    const PackedLayout at = packed_layout(s);
    const ScratchLayout in = scratch_layout(s);
    const int64_t tokens = chunk.place.tokens;
    float* normed = scratch + in.normed;
    float* u = scratch + in.u;
    float* delta = scratch + in.delta;
    float* y = scratch + in.y;

    layer_norm(tokens, s.model, chunk.in, packed + at.norm_weight, packed + at.norm_bias, false, normed);
    gemm(tokens, 2 * s.inner, s.model, {normed, s.model, 1}, packed + at.in_proj, chunk.xz, s.xz_row(), false);
    (s.conv == 4 ? convolve<4> : convolve<0>)(s, packed, at, chunk.place, chunk.xz, nullptr, u);
    gemm(tokens, s.projected(), s.inner, {u, s.row(), 1}, packed + at.x_proj, chunk.projected, s.projected(), false);
    make_delta(s, packed, at, tokens, chunk.projected, delta);

    Piece pieces[kChunk];
    const int64_t count = cut_pieces(chunk.place, kScanBlock, pieces);
    float* keep = chunk.checkpoints;
    for (int64_t i = 0; i < count; ++i) {
        const Piece& piece = pieces[i];
        if (keep && piece.at > 0) {
            for (int64_t j = 0; j < s.state_size(); j += kLanes) store(keep + j, load(chunk.state + j));
            keep += s.state_size();
        }
        const float* b = chunk.projected + piece.first * s.projected() + s.rank;
        scan_forward(s, {.tokens = piece.tokens,
                         .u = u + piece.first * s.row(),
                         .delta = delta + piece.first * s.row(),
                         .b = b,
                         .c = b + s.state,
                         .a = packed + at.a,
                         .skip = packed + at.skip,
                         .from = piece.at > 0 ? chunk.state : nullptr,
                         .to = piece.at + piece.tokens < chunk.place.window ? chunk.state : nullptr,
                         .y = y + piece.first * s.row()});
    }

    for (int64_t t = 0; t < tokens; ++t)
        for (int64_t c = 0; c < s.inner; c += kLanes) {
            float* at_c = y + t * s.row() + c;
            store(at_c, load(at_c) * silu(load(chunk.xz + t * s.xz_row() + s.inner + c)));
        }
    if (chunk.out != chunk.in)
        for (int64_t i = 0; i < tokens * s.model; ++i) chunk.out[i] = chunk.in[i];
    gemm(tokens, s.model, s.inner, {y, s.row(), 1}, packed + at.out_proj, chunk.out, s.model, true);
}

namespace {

// The scan of a whole chunk backwards: y, d_u, d_delta and columns rank… of d_projected.
void scan_chunk_backward(const MambaShape& s, const float* packed, const PackedLayout& at, const MambaBackChunk& chunk,
                         float* scratch, const ScratchLayout& in, float* d_a) {
    float* d_bc = scratch + in.d_bc;
    Piece pieces[kChunk];
    const int64_t count = cut_pieces(chunk.place, kScanBlock, pieces);
    const float* checkpoint = chunk.checkpoints;
    for (int64_t i = 0; i < count; ++i)
        if (pieces[i].at > 0) checkpoint += s.state_size();
    for (int64_t i = count - 1; i >= 0; --i) {
        const int64_t t = pieces[i].first, tokens = pieces[i].tokens;
        const bool begins = pieces[i].at == 0, ends = pieces[i].at + tokens == chunk.place.window;
        if (!begins) checkpoint -= s.state_size();
        const float* b = chunk.projected + t * s.projected() + s.rank;
        clear(d_bc, tokens * s.state * 2 * kLanes);
        scan_backward(s, {.tokens = tokens,
                          .u = scratch + in.u + t * s.row(),
                          .delta = scratch + in.delta + t * s.row(),
                          .b = b,
                          .c = b + s.state,
                          .a = packed + at.a,
                          .skip = packed + at.skip,
                          .state = begins ? nullptr : checkpoint,
                          .dy = scratch + in.d_y + t * s.row(),
                          .y = scratch + in.y + t * s.row(),
                          .d_u = scratch + in.d_u + t * s.row(),
                          .d_delta = scratch + in.d_delta + t * s.row(),
                          .d_after = ends ? nullptr : chunk.d_state,
                          .d_before = begins ? nullptr : chunk.d_state,
                          .d_a = d_a,
                          .d_bc = d_bc});
        sum_scan_gradients(s, tokens, d_bc, scratch + in.d_projected + t * s.projected() + s.rank);
    }
}

// From the gradient of u, in `d_u`, to that of x, in the first half of d_xz. `pre` holds the convolution's output and
// is replaced by its gradient, with conv - 1 more rows from the chunk that follows.
template <int kTaps>
void convolve_backward(const MambaShape& s, const float* packed, const PackedLayout& at, const MambaBackChunk& chunk,
                       float* pre, const float* d_u, float* d_xz, float* d_taps, float* d_bias) {
    const int64_t tokens = chunk.place.tokens, taps = taps_of<kTaps>(s), reach = taps - 1;
    Piece pieces[kChunk];
    const int64_t count = cut_pieces(chunk.place, kChunk, pieces);
    const bool goes_on = pieces[count - 1].at + pieces[count - 1].tokens < chunk.place.window;
    for (int64_t c = 0; c < s.inner; c += kLanes) {
        Vec total = load(d_bias + c);
        for (int64_t t = 0; t < tokens; ++t) {
            const Vec d = load(d_u + t * s.row() + c) * silu_parts(load(pre + t * s.row() + c)).slope();
            store(pre + t * s.row() + c, d);
            total += d;
        }
        store(d_bias + c, total);
        for (int64_t j = 0; j < reach; ++j)
            store(pre + (tokens + j) * s.row() + c, goes_on ? load(chunk.d_conv + j * s.row() + c) : Vec{});
        constexpr int kSums = kTaps ? kTaps : 1;  // taps summed in one pass
        for (int64_t j = 0; j < taps; j += kSums) {
            Vec sums[kSums] = {};
            for (int64_t i = 0; i < count; ++i) {
                const int64_t end = pieces[i].first + pieces[i].tokens,
                              begin_of_window = pieces[i].first - pieces[i].at;
                int64_t t = pieces[i].first;
                for (; t < least(begin_of_window + reach, end); ++t) {
                    const Vec d = load(pre + t * s.row() + c);
#pragma GCC unroll 4
                    for (int k = 0; k < kSums; ++k)
                        if (t - reach + j + k >= begin_of_window)
                            sums[k] += load(chunk.xz + (t - reach + j + k) * s.xz_row() + c) * d;
                }
                for (; t < end; ++t) {
                    const Vec d = load(pre + t * s.row() + c);
#pragma GCC unroll 4
                    for (int k = 0; k < kSums; ++k)
                        sums[k] += load(chunk.xz + (t - reach + j + k) * s.xz_row() + c) * d;
                }
            }
            for (int k = 0; k < kSums; ++k) {
                float* to = d_taps + (j + k) * s.inner + c;
                store(to, load(to) + sums[k]);
            }
        }
        const auto at_token = [&](int64_t t, int64_t absent) CMR_INLINE_LAMBDA {  // taps that reach past the window
            Vec d{};
#pragma GCC unroll 4
            for (int64_t j = absent; j < taps; ++j)
                d += load(packed + at.conv + j * s.inner + c) * load(pre + (t + reach - j) * s.row() + c);
            store(d_xz + t * s.xz_row() + c, d);
        };
        for (int64_t i = 0; i < count; ++i) {
            const int64_t end = pieces[i].first + pieces[i].tokens;
            const int64_t seen = end == tokens ? tokens + reach : end;  // past the chunk is its own gradient, or zero
            int64_t t = pieces[i].first;
            for (; t < seen - reach && t < end; ++t) at_token(t, 0);
            for (; t < end; ++t) at_token(t, t + reach - seen + 1);
        }
        const int64_t own = count > 1 ? pieces[0].tokens : tokens + reach;  // rows of the first window
        for (int64_t j = 0; j < reach; ++j)
            store(chunk.d_conv + j * s.row() + c, j < own ? load(pre + j * s.row() + c) : Vec{});
    }
}

}  // namespace

void mamba_backward(const MambaShape& s, const float* packed, const MambaBackChunk& chunk, float* scratch) {
    const PackedLayout at = packed_layout(s);
    const ScratchLayout in = scratch_layout(s);
    const GradientLayout to = gradient_layout(s);
    const int64_t tokens = chunk.place.tokens, row = s.row();
    float* normed = scratch + in.normed;
    float* u = scratch + in.u;
    float* delta = scratch + in.delta;
    float* y = scratch + in.y;
    float* pre = scratch + in.pre;
    float* d_y = scratch + in.d_y;
    float* d_u = scratch + in.d_u;
    float* d_delta = scratch + in.d_delta;
    float* d_xz = scratch + in.d_xz;
    float* d_projected = scratch + in.d_projected;
    float* panel_scratch = scratch + in.panel;
    float* sums = chunk.gradients;
    const float* z = chunk.xz + s.inner;

    // What the forward pass did not keep.
    layer_norm(tokens, s.model, chunk.in, packed + at.norm_weight, packed + at.norm_bias, false, normed);
    (s.conv == 4 ? convolve<4> : convolve<0>)(s, packed, at, chunk.place, chunk.xz, pre, u);
    make_delta(s, packed, at, tokens, chunk.projected, delta);

    // out_proj and the gate: d(gated) goes to d_xz's second half for now, dy = d(gated) silu(z).
    float* d_gated = d_xz + s.inner;
    gemm(tokens, s.inner, s.model, {chunk.d_tokens, s.model, 1}, packed + at.out_back, d_gated, s.xz_row(), false);
    for (int64_t t = 0; t < tokens; ++t)
        for (int64_t c = 0; c < s.inner; c += kLanes)
            store(d_y + t * row + c, load(d_gated + t * s.xz_row() + c) * silu(load(z + t * s.xz_row() + c)));

    scan_chunk_backward(s, packed, at, chunk, scratch, in, sums + to.a);
    for (int64_t c = 0; c < s.inner; c += kLanes) {
        Vec d_skip = load(sums + to.skip + c);
        for (int64_t t = 0; t < tokens; ++t) d_skip += load(d_y + t * row + c) * load(u + t * row + c);
        store(sums + to.skip + c, d_skip);
    }

    // y becomes the gated output, d_gated becomes dz.
    for (int64_t t = 0; t < tokens; ++t)
        for (int64_t c = 0; c < s.inner; c += kLanes) {
            const Silu gate = silu_parts(load(z + t * s.xz_row() + c));
            const Vec out = load(y + t * row + c);
            float* d = d_gated + t * s.xz_row() + c;
            store(y + t * row + c, out * gate.value());
            store(d, load(d) * out * gate.slope());
        }
    gemm_packing(s.model, s.inner, tokens, {chunk.d_tokens, 1, s.model}, {y, row, 1}, sums + to.out_proj, s.inner, true,
                 panel_scratch);

    // Δ: the slope of softplus is 1 - e^-Δ.
    for (int64_t c = 0; c < s.inner; c += kLanes) {
        Vec d_bias = load(sums + to.dt_bias + c);
        for (int64_t t = 0; t < tokens; ++t) {
            float* d = d_delta + t * row + c;
            const Vec raw = load(d) * (1.0f - exp2(load(delta + t * row + c) * -kLog2e));
            store(d, raw);
            d_bias += raw;
        }
        store(sums + to.dt_bias + c, d_bias);
    }
    gemm(tokens, s.rank, s.inner, {d_delta, row, 1}, packed + at.dt_back, d_projected, s.projected(), false);
    gemm_packing(s.inner, s.rank, tokens, {d_delta, 1, row}, {chunk.projected, s.projected(), 1}, sums + to.dt_proj,
                 s.rank, true, panel_scratch);

    gemm(tokens, s.inner, s.projected(), {d_projected, s.projected(), 1}, packed + at.x_back, d_u, row, true);
    gemm_packing(s.projected(), s.inner, tokens, {d_projected, 1, s.projected()}, {u, row, 1}, sums + to.x_proj,
                 s.inner, true, panel_scratch);

    (s.conv == 4 ? convolve_backward<4> : convolve_backward<0>)(s, packed, at, chunk, pre, d_u, d_xz, sums + to.conv,
                                                                sums + to.conv_bias);

    gemm_packing(2 * s.inner, s.model, tokens, {d_xz, 1, s.xz_row()}, {normed, s.model, 1}, sums + to.in_proj, s.model,
                 true, panel_scratch);
    float* d_normed = scratch + in.d_normed;
    gemm(tokens, s.model, 2 * s.inner, {d_xz, s.xz_row(), 1}, packed + at.in_back, d_normed, s.model, false);
    layer_norm_backward(tokens, s.model, chunk.in, packed + at.norm_weight, packed + at.norm_bias, false, d_normed,
                        d_normed, sums + to.norm_weight, sums + to.norm_bias);
    for (int64_t i = 0; i < tokens * s.model; ++i) chunk.d_tokens[i] += d_normed[i];
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
