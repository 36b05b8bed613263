// Blocks of tiles on AMX: four tiles of sums, two of A and two of B in the eight tile registers. Included by
// gemm_bf16.inl; the same order of products as in tiles_twin.inl, which defines the bits.
#pragma once

#include "kernels/vec.h"

// A test puts an emulation of the instructions here.
#if defined(CMR_TILE_INSTRUCTIONS)
#include CMR_TILE_INSTRUCTIONS
#else
#include "kernels/tile_instructions.inl"
#endif

namespace cmr::kernels::CMR_KERNEL_ISA {

// All eight registers hold 16 rows of 64 bytes. Laid out as LDTILECFG reads it.
struct alignas(64) TileShapes {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileShapes) == 64);

// While alive the registers are this thread's to use; after it nothing is left in them that a switch of threads would
// have to save.
struct TilesInUse {
    TilesInUse() {
        static constexpr TileShapes shapes;
        tile_configure(&shapes);
    }
    ~TilesInUse() { tile_release(); }
    TilesInUse(const TilesInUse&) = delete;
    TilesInUse& operator=(const TilesInUse&) = delete;
};

inline constexpr int64_t kTileRowBytes = 64;

// Registers: sums of tile row i and column j in 2 i + j, A in 4 and 5, B in 6 and 7.
template <int kRows, int kColumns>
CMR_INLINE void multiply_registers() {
    tile_multiply<0, 4, 6>();
    if constexpr (kColumns > 1) tile_multiply<1, 4, 7>();
    if constexpr (kRows > 1) tile_multiply<2, 5, 6>();
    if constexpr (kRows > 1 && kColumns > 1) tile_multiply<3, 5, 7>();
}

template <int kRows>
CMR_INLINE void load_a(const Pair* a, int64_t row) {
    tile_load<4>(a, kTileRowBytes);
    if constexpr (kRows > 1) tile_load<5>(a + row, kTileRowBytes);
}

template <int kColumns>
CMR_INLINE void load_b(const Pair* b) {
    tile_load<6>(b, kTileRowBytes);
    if constexpr (kColumns > 1) tile_load<7>(b + kTilePairs, kTileRowBytes);
}

// Not inlined: its caller would hold it several times.
template <int kRows, int kColumns>
__attribute__((noinline)) void multiply_tiles_of_block(int64_t steps, const Pair* a, const Pair* b, float* c,
                                                       int64_t c_row) {
    tile_clear<0>();
    if constexpr (kColumns > 1) tile_clear<1>();
    if constexpr (kRows > 1) tile_clear<2>();
    if constexpr (kRows > 1 && kColumns > 1) tile_clear<3>();
    const int64_t next_row = steps * kParts * kTilePairs;
#pragma GCC unroll 1
    for (int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 6
        for (int i = 0; i < kProductCount; ++i) {
            const PartProduct of = kProducts[i];
            if (i == 0 || of.a != kProducts[i > 0 ? i - 1 : 0].a) load_a<kRows>(a + of.a * kTilePairs, next_row);
            if (i == 0 || of.b != kProducts[i > 0 ? i - 1 : 0].b) load_b<kColumns>(b + of.b * kColumns * kTilePairs);
            multiply_registers<kRows, kColumns>();
        }
        a += kParts * kTilePairs;
        b += kParts * kColumns * kTilePairs;
    }
    const int64_t stride = c_row * static_cast<int64_t>(sizeof(float));
    tile_store<0>(c, stride);
    if constexpr (kColumns > 1) tile_store<1>(c + kTile, stride);
    if constexpr (kRows > 1) tile_store<2>(c + kTile * c_row, stride);
    if constexpr (kRows > 1 && kColumns > 1) tile_store<3>(c + kTile * c_row + kTile, stride);
}

// Rows × columns of tiles (1 or 2 each) of C, from nothing: a as split_rows lays it, b as pack does.
inline void multiply_block(int64_t rows, int64_t columns, int64_t steps, const Pair* a, const Pair* b, float* c,
                           int64_t c_row) {
    if (rows == 2 && columns == 2) return multiply_tiles_of_block<2, 2>(steps, a, b, c, c_row);
    if (rows == 2) return multiply_tiles_of_block<2, 1>(steps, a, b, c, c_row);
    if (columns == 2) return multiply_tiles_of_block<1, 2>(steps, a, b, c, c_row);
    multiply_tiles_of_block<1, 1>(steps, a, b, c, c_row);
}

}  // namespace cmr::kernels::CMR_KERNEL_ISA
