#pragma once
// Which files a recipe's patterns mean, and where the data root is.

#include <filesystem>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "recipe/recipe.h"

namespace cmr::data {

namespace fs = std::filesystem;

struct FoundFile {
    fs::path path;
    std::string name;   // below the root, with /
    Captures captures;  // what {words} of the pattern stand for
};

// The files below `root` that match (see PathPattern), in natural order: 2 before 10.
std::vector<FoundFile> find_files(const fs::path& root, const std::string& pattern,
                                  const std::vector<std::string>& exclude = {});

// `text` with every {word} replaced by what it stands for; an InputError names a word that stands for nothing.
std::string fill_in(const std::string& text, const Captures& captures);

// Before 10 comes 2.
bool natural_less(std::string_view a, std::string_view b);

// The folder given, else CMR_DATA_ROOT, else data/ in the recipe's folder or the one above. An InputError tells where
// the dataset can be had and how it must lie.
fs::path find_data_root(const recipe::Recipe& recipe, const fs::path& given = {});

}  // namespace cmr::data
