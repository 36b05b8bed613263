// The Mamba kernels of one instruction set; callers outside kernels/ go through the table in kernels.h.
#pragma once

#include "kernels/kernels.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

int64_t mamba_packed_size(const MambaShape& shape);
void mamba_pack(const MambaShape& shape, const MambaTensors<const float>& weights, float* packed);
int64_t mamba_scratch_size(const MambaShape& shape);
void mamba_forward(const MambaShape& shape, const float* packed, const MambaChunk& chunk, float* scratch);
void mamba_backward(const MambaShape& shape, const float* packed, const MambaBackChunk& chunk, float* scratch);

}  // namespace cmr::kernels::CMR_KERNEL_ISA
