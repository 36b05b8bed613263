// The tile instructions in plain C++, by Intel's manual, in the place of kernels/tile_instructions.inl: with them the
// code for AMX runs where there is none, all but the instructions themselves. Registers belong to a thread.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

struct EmulatedTiles {
    struct Register {
        unsigned char rows[16][64];
    };
    bool configured = false;
    unsigned char shapes[64] = {};
    Register registers[8];
};
inline thread_local EmulatedTiles emulated;

inline void wanted(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "emulated tiles: %s\n", what);
    std::abort();
}

inline void tile_configure(const void* shapes) {
    std::memcpy(emulated.shapes, shapes, 64);
    wanted(emulated.shapes[0] == 1 && emulated.shapes[1] == 0, "palette 1, from row 0");
    for (int i = 2; i < 16; ++i) wanted(emulated.shapes[i] == 0, "reserved bytes are zero");
    for (int i = 0; i < 8; ++i) {
        const int bytes = emulated.shapes[16 + 2 * i] | emulated.shapes[17 + 2 * i] << 8;
        wanted(bytes == 64 && emulated.shapes[48 + i] == 16, "16 rows of 64 bytes");
    }
    for (int i = 8; i < 16; ++i)
        wanted(emulated.shapes[16 + 2 * i] == 0 && emulated.shapes[17 + 2 * i] == 0 && emulated.shapes[48 + i] == 0,
               "registers that there are not have no shape");
    emulated.configured = true;
    for (auto& r : emulated.registers) std::memset(&r, 0, sizeof r);
}
inline void tile_release() { emulated.configured = false; }

inline EmulatedTiles::Register& register_of(int index) {
    wanted(emulated.configured, "used without a configuration");
    return emulated.registers[index];
}

template <int kRegister>
void tile_clear() {
    std::memset(&register_of(kRegister), 0, sizeof(EmulatedTiles::Register));
}
template <int kRegister>
void tile_load(const void* from, int64_t stride) {
    for (int i = 0; i < 16; ++i)
        std::memcpy(register_of(kRegister).rows[i], static_cast<const char*>(from) + i * stride, 64);
}
template <int kRegister>
void tile_store(void* to, int64_t stride) {
    for (int i = 0; i < 16; ++i) std::memcpy(static_cast<char*>(to) + i * stride, register_of(kRegister).rows[i], 64);
}

inline float half_of(const unsigned char* row, int index) {
    unsigned char bytes[4] = {0, 0, row[2 * index], row[2 * index + 1]};
    float value;
    std::memcpy(&value, bytes, 4);
    return value;
}

template <int kSums, int kA, int kB>
void tile_multiply() {
    static_assert(kSums != kA && kSums != kB && kA != kB);
    auto& sums = register_of(kSums);
    const auto &a = register_of(kA), &b = register_of(kB);
    for (int m = 0; m < 16; ++m) {
        float temp[32] = {};
        for (int k = 0; k < 16; ++k)
            for (int n = 0; n < 16; ++n) {
                temp[2 * n] = __builtin_fmaf(half_of(a.rows[m], 2 * k), half_of(b.rows[k], 2 * n), temp[2 * n]);
                temp[2 * n + 1] =
                    __builtin_fmaf(half_of(a.rows[m], 2 * k + 1), half_of(b.rows[k], 2 * n + 1), temp[2 * n + 1]);
            }
        for (int n = 0; n < 16; ++n) {
            float sum;
            std::memcpy(&sum, sums.rows[m] + 4 * n, 4);
            sum = sum + (temp[2 * n] + temp[2 * n + 1]);
            std::memcpy(sums.rows[m] + 4 * n, &sum, 4);
        }
    }
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
