#include "score/combine/rehearsal.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace cmr::score {
namespace {

// Small changes are as likely as large ones, so that scores differ in how small a change they still tell.
void gain(std::span<float> channel, std::span<const float>, Rng& rng) {
    const double size = std::exp(rng.uniform(std::log(0.01), std::log(0.5)));
    const auto factor = static_cast<float>(rng.below(2) == 0 ? 1 + size : 1 - size);
    for (float& value : channel) value *= factor;
}

void exchange(std::span<float> channel, std::span<const float> other, Rng&) {
    std::ranges::copy(other, channel.begin());
}

void offset(std::span<float> channel, std::span<const float>, Rng& rng) {
    const double size = rng.uniform(0.5, 1.5);
    const auto shift = static_cast<float>(rng.below(2) == 0 ? size : -size);
    for (float& value : channel) value += shift;
}

void freeze(std::span<float> channel, std::span<const float>, Rng&) { std::ranges::fill(channel, channel.front()); }

constexpr Rehearsal kRehearsals[] = {
    {"gain", "one effect stronger or weaker by 1 to 50 %", gain},
    {"exchange", "one effect as at another healthy moment", exchange},
    {"offset", "one effect shifted by half to one and a half deviations", offset},
    {"freeze", "one effect held at its first value", freeze},
};

}  // namespace

std::span<const Rehearsal> rehearsals() { return kRehearsals; }

SpoiledWindows rehearse(const Rehearsal& kind, const MatrixView& block, int64_t channels,
                        const std::vector<int64_t>& rows, Rng& rng) {
    CMR_ASSERT(channels > 0 && block.columns % channels == 0, "each channel has the same number of samples");
    CMR_ASSERT(block.rows >= 2, "another window to exchange with");
    const int64_t length = block.columns / channels;
    SpoiledWindows out{Matrix(std::ssize(rows), block.columns), {}};
    for (size_t i = 0; i < rows.size(); ++i) {
        const int64_t row = rows[i];
        std::ranges::copy(block.row(row), out.effects.row(i).begin());
        // Not the row itself: an exchange with it would be no fault.
        auto other = static_cast<int64_t>(rng.below(static_cast<uint64_t>(block.rows - 1)));
        other += other >= row;
        const auto channel = static_cast<int64_t>(rng.below(static_cast<uint64_t>(channels)));
        out.channel.push_back(channel);
        kind.spoil(out.effects.row(i).subspan(channel * length, length),
                   block.row(other).subspan(channel * length, length), rng);
    }
    return out;
}

}  // namespace cmr::score
