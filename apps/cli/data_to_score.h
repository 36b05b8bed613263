#pragma once
// What `cmr score` and `cmr explain` look at: the data of the model's recipe, or new ones.

#include <filesystem>
#include <string>
#include <vector>

#include "data/recording.h"
#include "recipe/recipe.h"

namespace cmr::cli {

struct DataOptions {
    std::filesystem::path data;  // a file, or a folder where the recipe has a file per channel; empty: the recipe's
    std::filesystem::path data_root;    // of the recipe
    std::string part;                   // of the recipe, as whose file `data` is read; empty: see data::load_new
    std::vector<std::string> settings;  // KEY=VALUE over the recipe
};

struct DataToScore {
    recipe::Recipe recipe;  // the model's, with the settings
    data::Dataset dataset;
};

// New data may have gaps and lack columns, unless data.gaps is among the settings: an export is not sent back for an
// empty cell.
//
// An InputError refuses settings that the model was fitted with: only how data are read and how densely windows are cut
// may change afterwards.
DataToScore load_data_to_score(const recipe::Recipe& fitted, const DataOptions& options);

// The model's recipe with the settings, under the same rule.
recipe::Recipe recipe_to_score(const recipe::Recipe& fitted, const std::vector<std::string>& settings);

// InputError where `out` is the model, or a file of new data; standard input counts as the file that it comes from.
void refuse_to_overwrite_inputs(const std::filesystem::path& out, const std::filesystem::path& model,
                                const DataOptions& options);

// A moment of a recording: its date, or seconds since its beginning.
std::string moment_text(const data::Recording& recording, double seconds);

}  // namespace cmr::cli
