// The tile instructions as assembly, with the memory that they touch declared: GCC 12's own _tile_loadconfig,
// _tile_loadd and _tile_stored do not tell the compiler, which then moves stores across them. No compiler flag is
// needed, so nothing else can come to use tiles. Included by tiles_amx.inl.
#pragma once

#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

CMR_INLINE void tile_configure(const void* shapes) { asm volatile("ldtilecfg (%0)" : : "r"(shapes) : "memory"); }
CMR_INLINE void tile_release() { asm volatile("tilerelease" : : : "memory"); }

template <int kRegister>
CMR_INLINE void tile_clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kRegister));
}
// 16 rows of 64 bytes, `stride` bytes apart.
template <int kRegister>
CMR_INLINE void tile_load(const void* from, int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kRegister) : "memory");
}
template <int kRegister>
CMR_INLINE void tile_store(void* to, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kRegister) : "memory");
}
// kSums += kA · kB, of pairs of bf16.
template <int kSums, int kA, int kB>
CMR_INLINE void tile_multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kA), "i"(kB));
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
