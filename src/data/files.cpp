#include "data/files.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/error.h"

namespace cmr::data {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The folder that every match lies in: what stands before the first pattern sign.
std::string fixed_folder(const std::string& pattern) {
    const size_t sign = pattern.find_first_of("*{");
    const size_t slash = pattern.rfind('/', sign);
    return slash == std::string::npos ? "" : pattern.substr(0, slash);
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const size_t i0 = std::min(a.find_first_not_of('0', i), a.size());
            const size_t j0 = std::min(b.find_first_not_of('0', j), b.size());
            size_t i1 = i0, j1 = j0;
            while (i1 < a.size() && is_digit(a[i1])) ++i1;
            while (j1 < b.size() && is_digit(b[j1])) ++j1;
            const std::string_view x = a.substr(i0, i1 - i0), y = b.substr(j0, j1 - j0);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
            i = i1;
            j = j1;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
        }
    }
    if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
    return a < b;  // 01 and 1: any fixed order
}

std::vector<FoundFile> find_files(const fs::path& root, const std::string& pattern,
                                  const std::vector<std::string>& exclude) {
    const PathPattern wanted(pattern);
    const std::vector<PathPattern> unwanted(exclude.begin(), exclude.end());

    std::vector<FoundFile> found;
    const fs::path folder = root / fixed_folder(pattern);
    std::error_code error;
    if (!fs::is_directory(folder, error)) return found;
    const auto options =
        fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator entry(folder, options, error), end;
    if (error) fail_with(error.value(), fmt::format("{}: cannot be listed", folder.string()));
    const auto levels = std::ranges::count(pattern, '/') - std::ranges::count(fixed_folder(pattern), '/') -
                        (fixed_folder(pattern).empty() ? 0 : 1);
    for (; entry != end; entry.increment(error)) {
        std::error_code dangling;  // a link to nowhere or to itself is no file of ours
        if (entry.depth() >= levels || !entry->is_directory(dangling)) entry.disable_recursion_pending();
        if (!entry->is_regular_file(dangling)) continue;
        const std::string name = entry->path().lexically_relative(root).generic_string();
        auto captures = wanted.match(name);
        if (!captures) continue;
        if (std::ranges::any_of(unwanted, [&](const PathPattern& p) { return p.match(name).has_value(); })) continue;
        found.push_back({.path = entry->path(), .name = name, .captures = *std::move(captures)});
    }
    // An error ends the iteration as the last entry does.
    if (error) fail_with(error.value(), fmt::format("{}: cannot be listed", folder.string()));
    std::ranges::sort(found, natural_less, &FoundFile::name);
    return found;
}

std::string fill_in(const std::string& text, const Captures& captures) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const size_t close = text[i] == '{' ? text.find('}', i) : std::string::npos;
        if (close == std::string::npos) {
            out += text[i];
            continue;
        }
        const auto known = captures.find(text.substr(i + 1, close - i - 1));
        if (known == captures.end())
            throw InputError("'{}' uses {}, which the file pattern does not have", text, text.substr(i, close + 1 - i));
        out += known->second;
        i = close;
    }
    return out;
}

fs::path find_data_root(const recipe::Recipe& recipe, const fs::path& given) {
    std::vector<std::pair<fs::path, std::string>> places;
    if (const char* variable = std::getenv("CMR_DATA_ROOT"); !given.empty()) {
        places.emplace_back(given, "--data-root");
    } else if (variable && *variable) {
        places.emplace_back(variable, "CMR_DATA_ROOT");
    } else {
        const fs::path folder = recipe.file.empty() ? fs::current_path() : fs::absolute(recipe.file).parent_path();
        places.emplace_back(folder / "data", "beside the recipe");
        places.emplace_back(folder.parent_path() / "data", "beside the recipe's folder");
    }
    std::string looked;
    for (const auto& [place, why] : places) {
        std::error_code error;
        if (fs::is_directory(place, error)) return place;
        looked += fmt::format("{}{} ({})", looked.empty() ? "" : ", ", place.string(), why);
    }
    throw InputError("{}: no data root; looked at {}. Name it with --data-root DIR or CMR_DATA_ROOT.{}", recipe.name,
                     looked, recipe.data.obtain.empty() ? "" : "\n" + recipe.data.obtain);
}

}  // namespace cmr::data
