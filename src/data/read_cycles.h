#pragma once
// Files of the layout "cycles" (one file per channel, a row per cycle) as one recording.

#include "data/read_rows.h"

namespace cmr::data {

// `files` differ in {channel} only. A channel's rate follows from its columns and the duration of a cycle.
RawRecording read_cycles(const std::vector<FoundFile>& files, const recipe::Recipe& recipe, const recipe::Part& part,
                         const fs::path& root, Storage storage);

}  // namespace cmr::data
