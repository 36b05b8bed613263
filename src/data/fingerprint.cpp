#include "data/fingerprint.h"

#include <fmt/format.h>

#include <bit>

#include "base/parallel.h"
#include "base/rng.h"

namespace cmr::data {
namespace {

uint64_t digest(uint64_t seed, std::string_view text) {
    for (const char c : text) seed = Rng::mix(seed + static_cast<unsigned char>(c));
    return Rng::mix(seed + text.size());
}

uint64_t digest(uint64_t seed, std::span<const float> values) {
    // Multiply and add per value, one mixing at the end: quick, and any changed or moved sample shows.
    for (const float value : values) seed = seed * 0x9e3779b97f4a7c15u + std::bit_cast<uint32_t>(value) + 1;
    return Rng::mix(seed + values.size());
}

}  // namespace

std::string fingerprint(const Dataset& dataset) {
    std::vector<uint64_t> parts(dataset.recordings.size());
    parallel_for(std::ssize(parts), [&](int64_t i) {
        uint64_t& part = parts[i];
        part = digest(1, dataset.recordings[i].name);
        for (const Samples& samples : dataset.recordings[i].channels) part = digest(part, samples.values());
    });
    uint64_t all = 0;
    for (const Channel& channel : dataset.channels) all = digest(all, channel.name);
    for (const uint64_t part : parts) all = Rng::mix(all + part);
    return fmt::format("{:016x}", all);
}

}  // namespace cmr::data
