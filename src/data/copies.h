#pragma once
// Stretches of samples that stand twice in a dataset: a file under two names, exports that overlap, a spliced
// recording.

#include <cstdint>
#include <vector>

#include "data/recording.h"

namespace cmr::data {

struct Copy {
    int32_t recording = 0;  // `samples` samples from `begin` on in this recording
    int64_t begin = 0;
    int32_t source = 0;  // equal those from `source_begin` on in this one, in every channel
    int64_t source_begin = 0;
    int64_t samples = 0;
};

// From the recordings, blocks of 32 samples are kept as hashes at even distances; every recording is then looked
// through at every offset with a rolling hash. Any copy longer than the distance and a block is found: 63 samples, or
// more in a dataset of over 32 million samples. Stretches that repeat few values (a constant, a square wave) say
// nothing and are left out. Each copy is told in both directions.
std::vector<Copy> find_copies(const Dataset& dataset);

}  // namespace cmr::data
