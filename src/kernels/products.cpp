// What a precision changes in a table of kernels: the matrix products, and the Mamba block that is made of them.
// Compiled once per precision, with gemm_bf16.inl in the place of gemm.inl.
#include "kernels/gemm.inl"
#include "kernels/kernels.h"
#include "kernels/mamba.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

void put_products(Kernels& table);
void put_products(Kernels& table) {
    table.panel = kBlock;
    table.packed_rows = kTerms;
    table.packed_size = [](int64_t k, int64_t n) { return packed_size(k, n); };
    table.pack = pack;
    table.gemm = gemm<Strided>;
    table.gemm_grouped = gemm<Grouped>;
    table.gemm_unpacked = [](int64_t m, int64_t n, int64_t k, Strided a, Strided b, float* c, int64_t c_row,
                             bool accumulate) {
        alignas(64) float panel[kDepth * kPanel];
        gemm_packing(m, n, k, a, b, c, c_row, accumulate, panel);
    };
    table.mamba_packed_size = mamba_packed_size;
    table.mamba_pack = mamba_pack;
    table.mamba_scratch_size = mamba_scratch_size;
    table.mamba_forward = mamba_forward;
    table.mamba_backward = mamba_backward;
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
