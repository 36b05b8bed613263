#pragma once
// A recipe and a data root → a dataset in memory (or paged from disk).

#include <functional>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::data {

using FileProgress = std::function<void(int64_t done, int64_t total)>;  // files; may be called from any thread

Dataset load(const recipe::Recipe& recipe, const fs::path& root, const FileProgress& progress = {});

}  // namespace cmr::data
