// Plane rotations of neighbouring columns, one after the other. Included by per-ISA sources.
#pragma once

#include "kernels/kernels.h"
#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

// Rotations mostly climb from column to column, so the upper column of one stays in registers as the lower of the next.
// kVectors registers of rows at a time, few enough that both columns fit.
template <int kVectors>
CMR_INLINE void rotate_rows(int64_t rotations, const Rotation* rotation, double* strip) {
    DoubleVec upper[kVectors] = {};
    for (int64_t i = 0; i < rotations; ++i) {
        double* at = strip + rotation[i].column * kRotatedRows;
        const DoubleVec c = broadcast(rotation[i].c), s = broadcast(rotation[i].s);
        const bool climbs = i > 0 && rotation[i].column == rotation[i - 1].column + 1;
        const bool stays = i + 1 < rotations && rotation[i + 1].column == rotation[i].column + 1;
#pragma GCC unroll 8
        for (int64_t j = 0; j < kVectors; ++j) {
            const DoubleVec a = climbs ? upper[j] : load(at + j * kDoubleLanes);
            const DoubleVec b = load(at + kRotatedRows + j * kDoubleLanes);
            store(at + j * kDoubleLanes, c * a - s * b);
            upper[j] = s * a + c * b;
        }
        if (stays) continue;
#pragma GCC unroll 8
        for (int64_t j = 0; j < kVectors; ++j) store(at + kRotatedRows + j * kDoubleLanes, upper[j]);
    }
}

inline void rotate(int64_t rotations, const Rotation* rotation, double* strip) {
    constexpr int kVectors = kRotatedRows / kDoubleLanes < 4 ? kRotatedRows / kDoubleLanes : 4;
    for (int row = 0; row < kRotatedRows; row += kVectors * kDoubleLanes)
        rotate_rows<kVectors>(rotations, rotation, strip + row);
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
