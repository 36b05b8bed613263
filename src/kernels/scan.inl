// The selective scan, per inner channel c and state n:
//
//     h[t] = exp(Δ[t] A[n]) h[t-1] + Δ[t] u[t] B[t, n]        y[t] = Σ_n C[t, n] h[t] + D u[t]
//
// A vector holds neighbouring channels. For a block of tokens and a group of states the decays exp(Δ A) are computed
// first, into a buffer that the first-level cache holds, then the recurrence runs in registers. Nothing of size
// tokens × inner × state is ever stored. Included by per-ISA sources.
#pragma once

#include "kernels/kernels.h"
#include "kernels/math.inl"

namespace cmr::kernels::CMR_KERNEL_ISA {

inline constexpr int kStates = 8;      // states worked on together
inline constexpr int kStatesBack = 4;  // the way back keeps more of each in the first-level cache

// A block of up to kScanBlock tokens. Channel-wide rows are shape.row() apart, rows of b and c projected() apart.
struct ScanBlock {
    int64_t tokens;
    const float* u;
    const float* delta;
    const float* b;  // [tokens, state …]
    const float* c;
    const float* a;     // [state, inner]: A log2 e
    const float* skip;  // [inner]: D
    const float* from;  // [state, inner], the state before; null: zero
    float* to;          // the state after, may be `from`; null: nobody asks
    float* y;
};

// The largest step of a block, per channel.
CMR_INLINE Vec largest_step(int64_t tokens, const float* delta, int64_t row) {
    Vec largest = load(delta);
    for (int64_t t = 1; t < tokens; ++t) largest = max(largest, load(delta + t * row));
    return largest;
}

// 2^p where nothing has to be rounded off: 1 + p polynomial(p), to 1e-7 for p in [-1, 0] and 5e-9 in [-1/4, 0].
CMR_INLINE Vec exp2_of_small(Vec p) {
    return ((((9.779813596e-04f * p + 9.288245756e-03f) * p + 5.536869021e-02f) * p + 2.402047280e-01f) * p +
            6.931464035e-01f) *
               p +
           1.0f;
}
CMR_INLINE Vec exp2_of_tiny(Vec p) {
    return (((8.905319011e-03f * p + 5.537491438e-02f) * p + 2.402180750e-01f) * p + 6.931470537e-01f) * p + 1.0f;
}

template <int kCount, typename Exp2>
CMR_INLINE void fill_decays(int64_t tokens, const float* delta, int64_t row, const Vec* rate, Vec (*decays)[kCount],
                            const Exp2& exp2_in_range) {
    for (int64_t t = 0; t < tokens; ++t) {
        const Vec step = load(delta + t * row);
#pragma GCC unroll 8
        for (int i = 0; i < kCount; ++i) decays[t][i] = exp2_in_range(step * rate[i]);
    }
}

// decays[t][i] = exp(Δ[t] A[i]). Most channels forget slowly: where no step of the block leaves the range of a shorter
// polynomial, it is enough.
template <int kCount>
CMR_INLINE void make_decays(int64_t tokens, const float* delta, int64_t row, Vec largest, const float* a, int64_t inner,
                            Vec (*decays)[kCount]) {
    Vec rate[kCount], lowest = Vec{};
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
        rate[i] = load(a + i * inner);
        lowest = min(lowest, largest * rate[i]);
    }
    if (all_at_least(lowest, -0.25f)) {
        fill_decays<kCount>(tokens, delta, row, rate, decays, [](Vec p) CMR_INLINE_LAMBDA { return exp2_of_tiny(p); });
    } else if (all_at_least(lowest, -1.0f)) {
        fill_decays<kCount>(tokens, delta, row, rate, decays, [](Vec p) CMR_INLINE_LAMBDA { return exp2_of_small(p); });
    } else {
        fill_decays<kCount>(tokens, delta, row, rate, decays, [](Vec p) CMR_INLINE_LAMBDA { return exp2(p); });
    }
}

// The recurrence of kCount states from n on, for the channels at c. `history`, where not null, gets the states before
// the block and after each token.
template <int kCount>
CMR_INLINE void scan_states(const MambaShape& shape, const ScanBlock& block, int64_t c, int64_t n,
                            const Vec (*decays)[kCount], const float* from, Vec* after, Vec (*history)[kCount]) {
    const int64_t row = shape.row(), step = shape.projected(), inner = shape.inner;
    const float *delta = block.delta + c, *u = block.u + c, *b = block.b + n, *c_ = block.c + n;
    float* y = block.y + c;
    const Vec skip = load(block.skip + c);
    Vec h[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
        h[i] = from ? load(from + (n + i) * inner + c) : Vec{};
        if (history) history[0][i] = h[i];
    }
    for (int64_t t = 0; t < block.tokens; ++t) {
        const Vec u_t = load(u + t * row), x = load(delta + t * row) * u_t;
        Vec sum = n == 0 ? skip * u_t : load(y + t * row);
#pragma GCC unroll 8
        for (int i = 0; i < kCount; ++i) {
            h[i] = decays[t][i] * h[i] + x * broadcast(b[t * step + i]);
            sum += h[i] * broadcast(c_[t * step + i]);
            if (history) history[t + 1][i] = h[i];
        }
        store(y + t * row, sum);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) after[i] = h[i];
}

template <int kCount>
CMR_INLINE void scan_group(const MambaShape& shape, const ScanBlock& block, Vec largest, int64_t c, int64_t n) {
    Vec decays[kScanBlock][kCount], after[kCount];
    make_decays<kCount>(block.tokens, block.delta + c, shape.row(), largest, block.a + n * shape.inner + c, shape.inner,
                        decays);
    scan_states<kCount>(shape, block, c, n, decays, block.from, after, nullptr);
    if (!block.to) return;
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) store(block.to + (n + i) * shape.inner + c, after[i]);
}

inline void scan_forward(const MambaShape& shape, const ScanBlock& block) {
    for (int64_t c = 0; c < shape.inner; c += kLanes) {
        const Vec largest = largest_step(block.tokens, block.delta + c, shape.row());
        int64_t n = 0;
        for (; n + kStates <= shape.state; n += kStates) scan_group<kStates>(shape, block, largest, c, n);
        for (; n < shape.state; ++n) scan_group<1>(shape, block, largest, c, n);
    }
}

// Backward of a block. With g the gradient that reaches h[t] from t+1:
//
//     dh = g + C dy      dC = Σ_c h dy      dB = Σ_c dh Δ u      g' = dh a      q = g' h[t-1]
//     d(Δu) = Σ_n dh B   dA += q Δ          dΔ = u d(Δu) + Σ_n q A              du = Δ d(Δu) + D dy
//
// where a is the decay. States and decays are recomputed from the state before the block.
struct ScanBackBlock {
    int64_t tokens;
    const float* u;
    const float* delta;
    const float* b;
    const float* c;
    const float* a;
    const float* skip;
    const float* state;  // before the block; null: zero
    const float* dy;
    float* y;  // recomputed
    float* d_u;
    float* d_delta;
    const float* d_after;  // [state, inner]: g above after the block; null: zero
    float* d_before;       // and before it; null: nobody asks
    float* d_a;            // [state, inner], added to: gradient of A
    float* d_bc;           // added to: for every group of states [tokens, states of the group, {B, C}] vectors that are
                           // summed over the channels except for the lanes; sum_scan_gradients does the rest
};

template <int kCount>
CMR_INLINE void scan_group_backward(const MambaShape& shape, const ScanBackBlock& block, int64_t c, int64_t n) {
    const int64_t row = shape.row(), step = shape.projected(), inner = shape.inner;
    Vec decays[kScanBlock][kCount], history[kScanBlock + 1][kCount], after[kCount];
    make_decays<kCount>(block.tokens, block.delta + c, row, largest_step(block.tokens, block.delta + c, row),
                        block.a + n * inner + c, inner, decays);
    scan_states<kCount>(
        shape, {block.tokens, block.u, block.delta, block.b, block.c, block.a, block.skip, nullptr, nullptr, block.y},
        c, n, decays, block.state, after, history);

    const float *delta = block.delta + c, *u = block.u + c, *dy = block.dy + c, *b = block.b + n, *c_ = block.c + n;
    float *d_u = block.d_u + c, *d_delta = block.d_delta + c, *d_bc = block.d_bc + n * block.tokens * 2 * kLanes;
    const Vec skip = load(block.skip + c);
    Vec g[kCount], d_a[kCount], a[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
        g[i] = block.d_after ? load(block.d_after + (n + i) * inner + c) : Vec{};
        d_a[i] = load(block.d_a + (n + i) * inner + c);
        a[i] = load(block.a + (n + i) * inner + c);
    }
    for (int64_t t = block.tokens - 1; t >= 0; --t) {
        const Vec delta_t = load(delta + t * row), u_t = load(u + t * row), dy_t = load(dy + t * row);
        const Vec x = delta_t * u_t;
        float* sums = d_bc + t * kCount * 2 * kLanes;
        Vec d_x{}, d_exponent{};
#pragma GCC unroll 8
        for (int i = 0; i < kCount; ++i, sums += 2 * kLanes) {
            const Vec dh = g[i] + broadcast(c_[t * step + i]) * dy_t;
            store(sums, load(sums) + dh * x);
            store(sums + kLanes, load(sums + kLanes) + history[t + 1][i] * dy_t);
            d_x += dh * broadcast(b[t * step + i]);
            g[i] = dh * decays[t][i];
            const Vec q = g[i] * history[t][i];
            d_exponent += q * a[i];
            d_a[i] += q * delta_t;
        }
        Vec to_u = delta_t * d_x, to_delta = u_t * d_x + d_exponent * kLn2;
        if (n == 0) {
            to_u += skip * dy_t;
        } else {
            to_u += load(d_u + t * row);
            to_delta += load(d_delta + t * row);
        }
        store(d_u + t * row, to_u);
        store(d_delta + t * row, to_delta);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
        if (block.d_before) store(block.d_before + (n + i) * inner + c, g[i]);
        store(block.d_a + (n + i) * inner + c, d_a[i]);
    }
}

inline void scan_backward(const MambaShape& shape, const ScanBackBlock& block) {
    int64_t n = 0;
    for (; n + kStatesBack <= shape.state; n += kStatesBack)
        for (int64_t c = 0; c < shape.inner; c += kLanes) scan_group_backward<kStatesBack>(shape, block, c, n);
    for (; n < shape.state; ++n)
        for (int64_t c = 0; c < shape.inner; c += kLanes) scan_group_backward<1>(shape, block, c, n);
}

// d_projected: rows projected() apart, B's gradient first, then C's.
inline void sum_scan_gradients(const MambaShape& shape, int64_t tokens, const float* d_bc, float* d_projected) {
    const int64_t grouped = shape.state / kStatesBack * kStatesBack;
    for (int64_t n = 0; n < shape.state; ++n) {
        const int64_t first = n < grouped ? n / kStatesBack * kStatesBack : n, count = n < grouped ? kStatesBack : 1;
        for (int64_t t = 0; t < tokens; ++t) {
            const float* from = d_bc + (first * tokens + t * count + n - first) * 2 * kLanes;
            float* to = d_projected + t * shape.projected() + n;
            to[0] = sum(load(from));
            to[shape.state] = sum(load(from + kLanes));
        }
    }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
