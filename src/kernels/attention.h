#pragma once
// Attention with association discrepancy over all heads of all windows, in parallel, forward and backward.

#include <cstdint>

namespace cmr::kernels {

struct AttentionShape {
    int64_t windows = 1;
    int64_t tokens = 1;
    int64_t width = 1;  // features of a token; `heads` divides it
    int64_t heads = 1;
};

// q, k, v, out [windows, tokens, width]; sigma, discrepancy [windows, tokens, heads]; series [windows, heads, tokens,
// tokens], or null where nothing goes back.
void attention_forward(const AttentionShape& shape, const float* q, const float* k, const float* v, const float* sigma,
                       float* out, float* series, float* discrepancy);

// Everything that is written is overwritten.
void attention_backward(const AttentionShape& shape, const float* q, const float* k, const float* v, const float* sigma,
                        const float* series, const float* d_out, const float* d_series, const float* d_prior, float* dq,
                        float* dk, float* dv, float* d_sigma);

}  // namespace cmr::kernels
