#include "recipe/recipe.h"

#include <array>

#include "base/error.h"
#include "io/file.h"
#include "io/toml/place.h"
#include "recipe/check.h"

namespace cmr::recipe {
namespace {

// What holds for every part, under the part's own settings.
constexpr std::array kInherited = {"read", "time"};

void inherit(io::TomlNode& tree) {
    io::TomlNode* data = tree.find("data");
    io::TomlNode* parts = data ? data->find("part") : nullptr;
    if (!parts) return;
    for (const char* section : kInherited) {
        const io::TomlNode* common = data->find(section);
        if (!common) continue;
        for (io::TomlNode& part : parts->items) {
            io::TomlNode merged = *common;
            if (io::TomlNode* own = part.find(section)) {
                io::merge_toml(merged, *own);
                *own = merged;
            } else {
                part.children.emplace_back(section, merged);
            }
        }
    }
}

Recipe resolve(io::TomlNode tree) {
    inherit(tree);
    Recipe recipe;
    io::read_settings(tree, "", recipe);
    check(recipe, [&](const std::string& path) { return io::place_of(tree, path); });
    return recipe;
}

}  // namespace

Recipe parse_recipe(const std::string& text, const std::string& source, const std::vector<std::string>& settings) {
    io::TomlNode tree = io::parse_toml(text, source);
    for (const std::string& setting : settings) io::set_toml(tree, setting);
    return resolve(std::move(tree));
}

Recipe with_settings(const Recipe& recipe, const std::vector<std::string>& settings) {
    io::TomlNode tree = io::parse_toml(to_toml(recipe), fmt::format("the recipe \"{}\"", recipe.name)), over;
    for (const std::string& setting : settings) io::set_toml(over, setting);
    io::TomlNode* data = over.find("data");
    // Every part has its own copy by now.
    for (const char* section : kInherited)
        if (const io::TomlNode* common = data ? data->find(section) : nullptr)
            for (io::TomlNode& part : tree.find("data")->find("part")->items)
                io::merge_toml(*part.find(section), *common);
    io::merge_toml(tree, over);
    Recipe out = resolve(std::move(tree));
    out.file = recipe.file;
    return out;
}

Recipe read_recipe(const fs::path& file, const std::vector<std::string>& settings) {
    Recipe recipe = parse_recipe(io::read_file(file), file.string(), settings);
    recipe.file = file;
    return recipe;
}

std::string to_toml(const Recipe& recipe) { return io::print_toml(io::write_settings(recipe)); }

}  // namespace cmr::recipe
