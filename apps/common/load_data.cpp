#include "load_data.h"

#include "data/files.h"
#include "data/load.h"
#include "progress.h"

namespace cmr::cli {

data::Dataset load_data(const recipe::Recipe& recipe, const std::filesystem::path& root) {
    const std::filesystem::path found = data::find_data_root(recipe, root);
    ProgressBar bar("reading " + recipe.name);
    return data::load(recipe, found, [&](int64_t done, int64_t total) { bar.update(done, total); });
}

std::vector<std::filesystem::path> files_of(const data::Dataset& dataset, const recipe::Recipe& recipe,
                                            const std::filesystem::path& root) {
    const std::filesystem::path found = data::find_data_root(recipe, root);
    std::vector<std::filesystem::path> out;
    for (const data::Recording& recording : dataset.recordings) out.push_back(found / recording.name);
    return out;
}

}  // namespace cmr::cli
