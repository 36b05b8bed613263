// What the multiply-add units can do at most: a loop that lives in registers. For benches. Included by per-ISA sources.
#pragma once

#include "kernels/vec.h"

namespace cmr::kernels::CMR_KERNEL_ISA {

// Twelve independent chains: enough to fill two units of five cycles' latency. Returns the operations done.
inline int64_t multiply_add_loop(int64_t rounds, float* sink) {
    const Vec a = broadcast(0.999f), b = broadcast(1e-3f);
    Vec s0 = a, s1 = a, s2 = a, s3 = a, s4 = a, s5 = a, s6 = a, s7 = a, s8 = a, s9 = a, s10 = a, s11 = a;
    for (int64_t i = 0; i < rounds; ++i) {
        // The empty asm keeps the compiler from folding the rounds together.
        const auto step = [&](Vec & s) __attribute__((always_inline)) {
            s = s * a + b;
#if defined(__x86_64__)
            asm volatile("" : "+x"(s));
#elif defined(__aarch64__)
            asm volatile("" : "+w"(s));
#endif
        };
        step(s0), step(s1), step(s2), step(s3), step(s4), step(s5);
        step(s6), step(s7), step(s8), step(s9), step(s10), step(s11);
    }
    *sink = sum(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11);
    return rounds * 12 * kLanes * 2;
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
