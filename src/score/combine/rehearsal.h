#pragma once
// Faults rehearsed on healthy windows: what would each score make of them? Healthy data alone then tell which scores
// can be relied on, without a single faulty window.

#include <string_view>

#include "base/matrix.h"
#include "base/rng.h"

namespace cmr::score {

struct Rehearsal {
    std::string_view name;
    std::string_view what;
    // Spoils one effect channel of a window, given the same channel of another healthy window.
    void (*spoil)(std::span<float> channel, std::span<const float> other, Rng& rng);
};

// The first two break nothing but the coupling, and decide the weights of the combined score.
// gain:     the effect answers stronger or weaker, by 1 to 50 %.
// exchange: the channel of another healthy moment; it looks healthy by itself.
// offset:   a shift by half to one and a half healthy deviations.
// freeze:   the first value, held.
std::span<const Rehearsal> rehearsals();
inline constexpr size_t kDecidingRehearsals = 2;

struct SpoiledWindows {
    Matrix effects;
    std::vector<int64_t> channel;  // that was spoiled, per row
};

// Some rows of a block of z-scored effect windows [windows, effects · length], in which one channel of each is spoiled.
// A block has at least two windows; other windows are taken from among them, so that a block can be left out whole.
// Draws from `rng`.
SpoiledWindows rehearse(const Rehearsal& kind, const MatrixView& block, int64_t channels,
                        const std::vector<int64_t>& rows, Rng& rng);

}  // namespace cmr::score
