#include "data/fingerprint.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/parallel.h"

namespace cmr::data {
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
