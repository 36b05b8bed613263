// The table of one instruction set. Compiled once per set.
#include "kernels/attention.inl"
#include "kernels/batch_norm.inl"
#include "kernels/distance.inl"
#include "kernels/gemm.inl"
#include "kernels/gemm_double.inl"
#include "kernels/kernels.h"
#include "kernels/mamba.h"
#include "kernels/norm.inl"
#include "kernels/peak.inl"
#include "kernels/rotate.inl"

namespace cmr::kernels::CMR_KERNEL_ISA {

extern const Kernels table;
const Kernels table = {
    .lanes = kLanes,
    .panel = kPanel,
    .packed_rows = 1,
    .packed_size = [](int64_t k, int64_t n) { return packed_size(k, n); },
    .pack = pack,
    .gemm = gemm<Strided>,
    .gemm_grouped = gemm<Grouped>,
    .gemm_unpacked =
        [](int64_t m, int64_t n, int64_t k, Strided a, Strided b, float* c, int64_t c_row, bool accumulate) {
            alignas(64) float panel[kDepth * kPanel];
            gemm_packing(m, n, k, a, b, c, c_row, accumulate, panel);
        },
    .gemm_double = gemm_double,
    .rotate = rotate,
    .layer_norm = layer_norm,
    .layer_norm_backward = layer_norm_backward,
    .column_moments = column_moments,
    .scale_gelu = scale_gelu,
    .scale_gelu_backward = scale_gelu_backward,
    .batch_norm_backward = batch_norm_backward,
    .mamba_packed_size = mamba_packed_size,
    .mamba_pack = mamba_pack,
    .mamba_scratch_size = mamba_scratch_size,
    .mamba_forward = mamba_forward,
    .mamba_backward = mamba_backward,
    .attention_head = attention_head,
    .attention_head_backward = attention_head_backward,
    .squared_distances = squared_distances,
    .multiply_add_loop = multiply_add_loop,
};

}  // namespace cmr::kernels::CMR_KERNEL_ISA
