#pragma once
// One file of the layout "rows" (time × channels) as a recording.

#include "data/files.h"
#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// What a file gives before strata have an index in the dataset.
struct RawRecording {
    Recording recording;
    std::vector<std::string> strata;  // Span::stratum points here
};

RawRecording read_rows(const FoundFile& file, const recipe::Recipe& recipe, const recipe::Part& part, Storage storage);

}  // namespace cmr::data
