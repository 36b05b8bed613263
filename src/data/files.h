#pragma once
// Which files a recipe's patterns mean, and where the data root is.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "recipe/recipe.h"

namespace cmr::data {

namespace fs = std::filesystem;

struct FoundFile {
    fs::path path;
    std::string name;                             // below the root, with /
    std::map<std::string, std::string> captures;  // what {words} of the pattern stand for
};

// The files below `root` that match, in natural order (2 before 10). In the pattern `*` and {word} stand for runs of
// characters other than /; a {word} for at least one, and the same text wherever it occurs again.
std::vector<FoundFile> find_files(const fs::path& root, const std::string& pattern,
                                  const std::vector<std::string>& exclude = {});

// `text` with every {word} replaced by what it stands for; an InputError names a word that stands for nothing.
std::string fill_in(const std::string& text, const std::map<std::string, std::string>& captures);

// Before 10 comes 2.
bool natural_less(std::string_view a, std::string_view b);

// The folder given, else CMR_DATA_ROOT, else data/ in the recipe's folder or the one above. An InputError tells where
// the dataset can be had and how it must lie.
fs::path find_data_root(const recipe::Recipe& recipe, const fs::path& given = {});

}  // namespace cmr::data
