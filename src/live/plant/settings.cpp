#include "live/plant/settings.h"

#include <cstdlib>

#include "base/error.h"
#include "io/file.h"
#include "io/table.h"
#include "io/toml/place.h"
#include "live/plant/check.h"

namespace cmr::live {
namespace {

// [rules] hold for every asset, under its own.
void inherit_rules(io::TomlNode& tree) {
    io::TomlNode* common = tree.find("rules");
    io::TomlNode* assets = tree.find("asset");
    if (!common || !assets) return;
    for (io::TomlNode& asset : assets->items) {
        io::TomlNode rules = *common;
        if (io::TomlNode* own = asset.find("rules")) {
            io::merge_toml(rules, *own);
            *own = rules;
        } else {
            asset.children.emplace_back("rules", rules);
        }
    }
}

void make_absolute(std::string& path, const fs::path& folder) {
    if (!path.empty() && fs::path(path).is_relative()) path = (folder / path).lexically_normal().string();
}

void make_absolute(Plant& plant) {
    const fs::path folder = fs::absolute(plant.file).parent_path();
    if (plant.storage.folder.empty()) {
        const char* state = std::getenv("STATE_DIRECTORY");  // of a systemd service with StateDirectory=
        plant.storage.folder = state && *state ? state : "state";
    }
    for (std::string* path : {&plant.storage.folder, &plant.ledger.password_file, &plant.web.token_file,
                              &plant.web.certificate_file, &plant.web.key_file})
        make_absolute(*path, folder);
    if (plant.ledger.address.empty()) plant.ledger.address = plant.storage.folder + "/ledger.db";
    if (plant.ledger.address.find(':') == std::string::npos) make_absolute(plant.ledger.address, folder);
    for (AssetSettings& asset : plant.asset) make_absolute(asset.model, folder);
    for (NotifierSettings& notifier : plant.notify)
        for (std::string* path : {&notifier.token_file, &notifier.ca_file, &notifier.password_file})
            make_absolute(*path, folder);
    for (SourceSettings& source : plant.source)
        for (std::string* path : {&source.path, &source.password_file, &source.token_file, &source.ca_file,
                                  &source.certificate_file, &source.key_file})
            make_absolute(*path, folder);
}

// pump-(1..3) is pump-1, pump-2, pump-3.
std::vector<std::string> expand(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const std::string& name : names)
        for (std::string& one : io::expand_names({name})) {
            if (one != name) std::erase_if(one, [](char letter) { return letter == '(' || letter == ')'; });
            out.push_back(std::move(one));
        }
    return out;
}

}  // namespace

Plant parse_plant(const std::string& text, const fs::path& file, const std::vector<std::string>& settings) {
    io::TomlNode tree = io::parse_toml(text, file.string());
    for (const std::string& setting : settings) io::set_toml(tree, setting);
    inherit_rules(tree);
    Plant plant;
    io::read_settings(tree, "", plant);
    plant.file = file;
    const auto place = [&](const std::string& path) { return io::place_of(tree, path); };
    for (size_t i = 0; i < plant.asset.size(); ++i) {
        try {
            plant.asset[i].names = expand(plant.asset[i].names);
        } catch (const InputError& error) {
            const std::string path = fmt::format("asset[{}].names", i);
            throw InputError("{}: {}: {}", place(path), path, error.what());
        }
    }
    for (size_t i = 0; i < plant.source.size(); ++i) plant.places.push_back(place(fmt::format("source[{}]", i)));
    make_absolute(plant);
    check(plant, place);
    return plant;
}

Plant read_plant(const fs::path& file, const std::vector<std::string>& settings) {
    return parse_plant(io::read_file(file), file, settings);
}

std::vector<Column> columns_of(const AssetSettings& asset) {
    std::vector<Column> out;
    for (const std::string& text : asset.columns) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            throw InputError("'{}' is not of the form CHANNEL=name", text);
        out.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
    return out;
}

}  // namespace cmr::live
