#include "data/new_data.h"

#include <algorithm>

#include "base/error.h"

namespace cmr::data {
namespace {

// How well a pattern fits the end of a path: by how many names of it, then by how many letters that are no wildcards.
struct Closeness {
    int64_t names = 0, letters = 0;

    auto operator<=>(const Closeness&) const = default;
};

struct Fit {
    recipe::Part part;
    std::vector<FoundFile> files;
    Closeness closeness;
};

int64_t names_in(const std::string& pattern) { return std::ranges::count(pattern, '/') + 1; }

int64_t letters_in(const std::string& pattern) {
    int64_t letters = 0;
    bool in_word = false;
    for (const char c : pattern) {
        if (c == '{') in_word = true;
        letters += !in_word && c != '*';
        if (c == '}') in_word = false;
    }
    return letters;
}

// The last names of a path or a pattern.
std::string tail(const std::string& path, int64_t names) {
    size_t begin = path.size() + 1;
    for (; names > 0 && begin != 0; --names) begin = begin < 2 ? 0 : path.rfind('/', begin - 2) + 1;
    return path.substr(begin);
}

// The file as one of the part, as far as the end of its path tells.
Fit fit_file(const recipe::Part& part, const fs::path& file) {
    const std::string path = fs::absolute(file).lexically_normal().generic_string();
    for (int64_t names = names_in(part.files); names > 0; --names) {
        const std::string pattern = tail(part.files, names), end = tail(path, names);
        auto captures = PathPattern(pattern).match(end);
        if (!captures) continue;
        const bool excluded = std::ranges::any_of(part.exclude, [&](const std::string& unwanted) {
            return PathPattern(tail(unwanted, names)).match(end).has_value();
        });
        if (excluded) break;
        return {part,
                {{.path = file, .name = file.filename().string(), .captures = *std::move(captures)}},
                {names, letters_in(pattern)}};
    }
    return {part, {}, {}};
}

// The files of the channels in a folder, which may be any of those that the pattern goes through.
Fit fit_folder(const recipe::Part& part, const fs::path& folder) {
    for (int64_t names = names_in(part.files); names > 0; --names) {
        const std::string pattern = tail(part.files, names);
        if (pattern.find("{channel}") == std::string::npos) break;
        std::vector<std::string> exclude;
        for (const std::string& unwanted : part.exclude) exclude.push_back(tail(unwanted, names));
        if (auto files = find_files(folder, pattern, exclude); !files.empty())
            return {part, std::move(files), {names, letters_in(pattern)}};
    }
    return {part, {}, {}};
}

bool read_alike(const recipe::Part& a, const recipe::Part& b) {
    const auto text = [](const recipe::Part& part) {
        return io::print_toml(io::write_settings(part.read)) + io::print_toml(io::write_settings(part.time));
    };
    return a.skip_samples == b.skip_samples && text(a) == text(b);
}

const recipe::Part& part_called(const recipe::Recipe& recipe, const std::string& name) {
    const auto found = std::ranges::find(recipe.data.part, name, &recipe::Part::name);
    if (found != recipe.data.part.end()) return *found;
    std::vector<std::string> names;
    for (const recipe::Part& part : recipe.data.part) names.push_back(part.name);
    throw InputError("--part {}: the recipe \"{}\" has {}", name, recipe.name, fmt::join(names, ", "));
}

// The part that fits best.
Fit choose(const recipe::Recipe& recipe, const fs::path& path, const std::string& wanted) {
    const bool cycles = recipe.data.layout == "cycles";
    const auto fit = [&](const recipe::Part& part) { return cycles ? fit_folder(part, path) : fit_file(part, path); };
    const FoundFile itself{.path = path, .name = path.filename().string(), .captures = {}};
    Fit best;
    if (!wanted.empty()) {
        best = fit(part_called(recipe, wanted));
        if (!cycles) best.files = {itself};
    } else {
        for (const recipe::Part& part : recipe.data.part) {
            Fit found = fit(part);
            if (found.files.empty()) continue;
            if (found.closeness == best.closeness && !read_alike(found.part, best.part))
                throw InputError(
                    "{}: may be of part '{}' or '{}' of the recipe \"{}\", which are read differently; say --part",
                    path.string(), best.part.name, found.part.name, recipe.name);
            if (found.closeness > best.closeness) best = std::move(found);
        }
    }
    if (cycles && best.files.empty())
        throw InputError("{}: no file in it is named as the recipe \"{}\" names those of its channels: {}",
                         path.string(), recipe.name, recipe.data.part.front().files);
    if (best.files.empty()) {
        best.part.name = kNoPart;
        best.part.read = recipe.data.read;
        best.part.time = recipe.data.time;
        best.files = {itself};
    }
    return best;
}

// Joined files are looked for beside the file as the part has them: of their names as many are left out at the
// beginning as of the part's own. Returns the folder that the others start from.
fs::path root_of_joined(Fit& fit, const fs::path& file) {
    const int64_t known = std::max<int64_t>(fit.closeness.names, 1);
    const int64_t left_out = names_in(fit.part.files) - known;
    for (recipe::Join& join : fit.part.join)
        join.files = tail(join.files, std::max<int64_t>(names_in(join.files) - left_out, 1));
    fs::path root = fs::absolute(file).lexically_normal();
    for (int64_t i = 0; i < known; ++i) root = root.parent_path();
    return root;
}

void refuse_absent(const recipe::Recipe& recipe, const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) throw InputError("{}: no such file or folder", path.string());
    const bool folder = fs::is_directory(path, error), cycles = recipe.data.layout == "cycles";
    if (cycles && !folder)
        throw InputError("{}: the recipe \"{}\" has a file per channel; give the folder that they lie in",
                         path.string(), recipe.name);
    if (!cycles && folder)
        throw InputError("{}: is a folder, expected a file; the folder of all the recipe's data is --data-root",
                         path.string());
}

}  // namespace

recipe::Part part_to_read(const recipe::Recipe& recipe, const fs::path& path, const std::string& wanted) {
    if (!wanted.empty()) return part_called(recipe, wanted);
    const std::vector<recipe::Part>& parts = recipe.data.part;
    const bool rows = recipe.data.layout == "rows";
    if (path != "-" && rows) return choose(recipe, path, wanted).part;
    if (rows && !parts.empty() &&
        std::ranges::all_of(parts, [&](const recipe::Part& part) { return read_alike(part, parts.front()); }))
        return parts.front();
    recipe::Part out;
    out.name = kNoPart;
    out.read = recipe.data.read;
    out.time = recipe.data.time;
    return out;
}

Dataset load_new(const recipe::Recipe& recipe, const fs::path& path, const std::string& part,
                 const FileProgress& progress) {
    refuse_absent(recipe, path);
    Fit fit = choose(recipe, path, part);
    const bool cycles = recipe.data.layout == "cycles";
    const fs::path root = cycles ? path : root_of_joined(fit, path);
    recipe::Recipe own = recipe;
    own.data.events = {};
    own.data.unit.clear();
    recipe::Labels& labels = own.data.labels;
    labels.column.clear();
    labels.columns.clear();
    labels.strata.clear();
    if (!cycles && !labels.file.empty()) labels = {};
    if (cycles) {
        labels.file = tail(labels.file, fit.closeness.names);
        if (labels.file.empty() || !fs::exists(root / labels.file)) labels = {};
    }
    fit.part.role = "new";
    fit.part.state = "unknown";
    fit.part.stratum.clear();
    own.data.part = {fit.part};
    const PartFacts facts{.name = fit.part.name, .role = fit.part.role, .files = std::ssize(fit.files)};
    return read_sources(own, root, {facts}, group_by_recording(own, 0, fit.files), progress);
}

}  // namespace cmr::data
