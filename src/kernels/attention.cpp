#include "kernels/attention.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

// What head `task` of all heads of all windows reads.
struct Task {
    int64_t tokens;  // where its part of [windows, tokens, width] begins
    int64_t marks;   // and of [windows, tokens, heads]
    AttentionHead head;
};

Task task_of(const AttentionShape& s, int64_t task, const float* q, const float* k, const float* v,
             const float* sigma) {
    const int64_t window = task / s.heads, head = task % s.heads;
    const int64_t tokens = window * s.tokens * s.width + head * (s.width / s.heads);
    const int64_t marks = window * s.tokens * s.heads + head;
    return {tokens,
            marks,
            {.tokens = s.tokens,
             .width = s.width / s.heads,
             .row = s.width,
             .heads = s.heads,
             .q = q + tokens,
             .k = k + tokens,
             .v = v + tokens,
             .sigma = sigma + marks,
             .out = nullptr,
             .series = nullptr,
             .discrepancy = nullptr,
             .scratch = nullptr}};
}

}  // namespace

void attention_forward(const AttentionShape& s, const float* q, const float* k, const float* v, const float* sigma,
                       float* out, float* series, float* discrepancy) {
    CMR_ASSERT(s.width % s.heads == 0, "heads of the same width");
    parallel_for(s.windows * s.heads, [&](int64_t i) {
        Task task = task_of(s, i, q, k, v, sigma);
        const int64_t square = s.tokens * s.tokens;
        Buffer scratch(s.tokens + (series ? 0 : square));
        task.head.out = out + task.tokens;
        task.head.discrepancy = discrepancy + task.marks;
        task.head.scratch = scratch.data();
        task.head.series = series ? series + i * square : scratch.data() + s.tokens;
        kernels().attention_head(task.head);
    });
}

void attention_backward(const AttentionShape& s, const float* q, const float* k, const float* v, const float* sigma,
                        const float* series, const float* d_out, const float* d_series, const float* d_prior, float* dq,
                        float* dk, float* dv, float* d_sigma) {
    CMR_ASSERT(s.width % s.heads == 0, "heads of the same width");
    parallel_for(s.windows * s.heads, [&](int64_t i) {
        Task task = task_of(s, i, q, k, v, sigma);
        const int64_t square = s.tokens * s.tokens;
        Buffer scratch(square + s.tokens);
        task.head.scratch = scratch.data();
        task.head.series = const_cast<float*>(series) + i * square;  // read only on the way back
        kernels().attention_head_backward(task.head, {.d_out = d_out + task.tokens,
                                                      .d_series = d_series + task.marks,
                                                      .d_prior = d_prior + task.marks,
                                                      .dq = dq + task.tokens,
                                                      .dk = dk + task.tokens,
                                                      .dv = dv + task.tokens,
                                                      .d_sigma = d_sigma + task.marks});
    });
}

}  // namespace cmr::kernels
