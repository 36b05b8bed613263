#pragma once
// A recipe and a data root → a dataset in memory (or paged from disk).

#include <functional>

#include "data/files.h"
#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

using FileProgress = std::function<void(int64_t done, int64_t total)>;  // files; may be called from any thread

Dataset load(const recipe::Recipe& recipe, const fs::path& root, const FileProgress& progress = {});

// The steps of it, for files that were found in another way.

// The files of one recording: one, or one per channel.
struct Source {
    int32_t part = 0;
    std::vector<FoundFile> files;
    const recipe::Unit* unit = nullptr;  // what is known of the machine
};

// The recordings that files of a part make: in the layout "cycles", files that differ in {channel} only are one.
std::vector<Source> group_by_recording(const recipe::Recipe& recipe, int32_t part, const std::vector<FoundFile>& files);

// Reads them side by side. `parts` are those of the recipe.
Dataset read_sources(const recipe::Recipe& recipe, const fs::path& root, std::vector<PartFacts> parts,
                     const std::vector<Source>& sources, const FileProgress& progress = {});

}  // namespace cmr::data
