#pragma once
// One file of the layout "rows" (time × channels) as a recording, with the files that are joined to it.

#include "data/files.h"
#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

// What a file gives before strata have an index in the dataset.
struct RawRecording {
    Recording recording;
    std::vector<std::string> strata;  // Span::stratum points here
};

// Files of labels and joined files lie below `root`. A column is looked for in the file itself, then in the joined ones
// in their order; their values are brought to the times of the file's samples.
RawRecording read_rows(const FoundFile& file, const recipe::Recipe& recipe, const recipe::Part& part,
                       const fs::path& root, Storage storage);

}  // namespace cmr::data
