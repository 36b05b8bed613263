#pragma once
// The data of a recipe, with a progress bar.

#include <filesystem>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::cli {

// `root`: see data::find_data_root.
data::Dataset load_data(const recipe::Recipe& recipe, const std::filesystem::path& root);

// The files of its recordings.
std::vector<std::filesystem::path> files_of(const data::Dataset& dataset, const recipe::Recipe& recipe,
                                            const std::filesystem::path& root);

}  // namespace cmr::cli
