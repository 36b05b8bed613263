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

// In both directions:
// - every stretch of at least 63 samples that stands twice, where 8 of some 63 samples differ from the one before; in a
//   dataset of n > 32 million samples, of at least n / 10^6 + 31 samples. Less movement agrees by chance: a switch, a
//   slow sensor in whole degrees. A long constant inside may make two of one;
// - every recording of at least 63 samples that equals another from its first to its last one, unless it is a constant.
//
// From the recordings, blocks of 32 samples are kept as hashes at even distances and where a constant begins or ends;
// every recording is then looked through at every offset with a rolling hash. Of a block that stands more than 64 times
// in one recording the first 64 count, and of the copies that two recordings share the first 10,000.
std::vector<Copy> find_copies(const Dataset& dataset);

}  // namespace cmr::data
