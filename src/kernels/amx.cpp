#include "kernels/amx.h"

#include <cerrno>
#include <cstring>

#include "base/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cmr::kernels {
namespace {

constexpr uint32_t kBf16 = 1u << 22, kTiles = 1u << 24;         // of leaf 7
constexpr uint64_t kShapes = 1u << 17, kContents = 1u << 18;    // of XCR0
constexpr uint32_t kRowBytes = 64, kRegisters = 8, kRows = 16;  // what the kernels take for granted

}  // namespace

TileFacts tile_facts() {
    TileFacts facts;
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return facts;
    if (c & (1u << 27)) {  // XGETBV may be used
        uint32_t low = 0, high = 0;
        asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        facts.saved = uint64_t{high} << 32 | low;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) facts.features = d;
    if (__get_cpuid_count(0x1d, 1, &a, &b, &c, &d)) {
        facts.palette = b;
        facts.palette_rows = c;
    }
#endif
    return facts;
}

std::string missing_for_tiles(const TileFacts& facts) {
    if (!(facts.features & kTiles) || !(facts.features & kBf16)) return "the processor has no AMX (amx_tile, amx_bf16)";
    if ((facts.palette & 0xffff) < kRowBytes || facts.palette >> 16 < kRegisters ||
        (facts.palette_rows & 0xffff) < kRows)
        return "the processor's tiles are smaller than 8 of 16 rows of 64 bytes";
    if ((facts.saved & (kShapes | kContents)) != (kShapes | kContents))
        return "the operating system does not save the tiles of AMX";
    return {};
}

void permit_tiles() {
#if defined(__x86_64__) && defined(__linux__)
    constexpr int kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA; Linux 5.16
    if (syscall(SYS_arch_prctl, kRequest, kTileData) != 0)
        throw InputError("AMX: the operating system does not permit it to this process: {}", std::strerror(errno));
#else
    throw InputError("AMX: not on this operating system");
#endif
}

}  // namespace cmr::kernels
