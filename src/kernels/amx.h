#pragma once
// Whether this process may use AMX, the tile instructions: the processor must have them, the operating system must save
// their registers, and Linux wants to be asked, because they make every switch of threads dearer.

#include <cstdint>
#include <string>

namespace cmr::kernels {

// What the processor says, as CPUID and XGETBV give it.
struct TileFacts {
    uint32_t features = 0;      // leaf 7, EDX
    uint32_t palette = 0;       // leaf 0x1d, subleaf 1, EBX: bytes of a row, and registers in the upper half
    uint32_t palette_rows = 0;  // the same, ECX
    uint64_t saved = 0;         // XCR0; 0 where the operating system does not use it
};
TileFacts tile_facts();

// What is missing, in words that follow "the processor" or name who lacks it; empty where nothing is. Asks nothing of
// the operating system.
std::string missing_for_tiles(const TileFacts& facts);

// Asks the operating system for this process, all its threads. Throws InputError when it refuses.
void permit_tiles();

}  // namespace cmr::kernels
