#include "kernels/attention.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

struct Place {
    int64_t tokens;  // of the head's part of [windows, tokens, width]
    int64_t marks;   // of [windows, tokens, heads]
    int64_t series;
};

Place place(const AttentionShape& s, int64_t task) {
    const int64_t window = task / s.heads, head = task % s.heads;
    return {window * s.tokens * s.width + head * (s.width / s.heads), window * s.tokens * s.heads + head,
            task * s.tokens * s.tokens};
}

}  // namespace

void attention_forward(const AttentionShape& s, const float* q, const float* k, const float* v, const float* sigma,
                       float* out, float* series, float* discrepancy) {
    CMR_ASSERT(s.width % s.heads == 0, "heads of the same width");
    parallel_for(s.windows * s.heads, [&](int64_t task) {
        const Place at = place(s, task);
        Buffer scratch(s.tokens + (series ? 0 : s.tokens * s.tokens));
        kernels().attention_head({.tokens = s.tokens,
                                  .width = s.width / s.heads,
                                  .row = s.width,
                                  .heads = s.heads,
                                  .q = q + at.tokens,
                                  .k = k + at.tokens,
                                  .v = v + at.tokens,
                                  .sigma = sigma + at.marks,
                                  .out = out + at.tokens,
                                  .series = series ? series + at.series : scratch.data() + s.tokens,
                                  .discrepancy = discrepancy + at.marks,
                                  .scratch = scratch.data()});
    });
}

void attention_backward(const AttentionShape& s, const float* q, const float* k, const float* v, const float* sigma,
                        const float* series, const float* d_out, const float* d_series, const float* d_prior, float* dq,
                        float* dk, float* dv, float* d_sigma) {
    CMR_ASSERT(s.width % s.heads == 0, "heads of the same width");
    parallel_for(s.windows * s.heads, [&](int64_t task) {
        const Place at = place(s, task);
        Buffer scratch(s.tokens * s.tokens + s.tokens);
        const AttentionHead head{.tokens = s.tokens,
                                 .width = s.width / s.heads,
                                 .row = s.width,
                                 .heads = s.heads,
                                 .q = q + at.tokens,
                                 .k = k + at.tokens,
                                 .v = v + at.tokens,
                                 .sigma = sigma + at.marks,
                                 .out = nullptr,
                                 .series = const_cast<float*>(series) + at.series,  // read only on the way back
                                 .discrepancy = nullptr,
                                 .scratch = scratch.data()};
        kernels().attention_head_backward(head, {.d_out = d_out + at.tokens,
                                                 .d_series = d_series + at.marks,
                                                 .d_prior = d_prior + at.marks,
                                                 .dq = dq + at.tokens,
                                                 .dk = dk + at.tokens,
                                                 .dv = dv + at.tokens,
                                                 .d_sigma = d_sigma + at.marks});
    });
}

}  // namespace cmr::kernels
