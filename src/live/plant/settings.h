#pragma once
// plant.toml: what is watched, where readings come from, what is kept and who is told. recipes/watch/template.toml is a
// template with every key. Relative paths are relative to the file.

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "live/secrets.h"
#include "live/sources/settings.h"

namespace cmr::live {

namespace fs = std::filesystem;

struct Rules {
    double lateness_s = 0;
    double stale_s = 0;
    double silent_s = 60;
    int64_t stride = 0;
    bool latching = false;

    bool operator==(const Rules&) const = default;
};

// Machines of one kind: they share a model.
struct AssetSettings {
    std::vector<std::string> names;
    std::string model;
    std::vector<std::string> columns;
    Rules rules;  // [rules], and over it [asset.rules]
};

struct StorageSettings {
    std::string folder;
    double snapshot_s = 60;
    int64_t queue = 200'000;
};

struct LedgerSettings {
    std::string address;
    std::string password_file;
    int64_t level_s = 60;
    double keep_levels_days = 30;
    double keep_hours_days = 400;
    double keep_alarms_days = 3650;
};

struct NotifierSettings {
    std::string name;
    std::string kind;
    std::string address;
    std::string topic = "cmr";
    std::string user, password_file;
    std::string token_file;
    std::string ca_file;
    double timeout_s = 10;
    double repeat_s = 60;
};

struct WebSettings {
    std::string address = "127.0.0.1:8470";
    std::string link;
    std::string token_file;
    std::string certificate_file, key_file;
};

struct Plant {
    std::string name = "plant";
    std::vector<AssetSettings> asset;
    std::vector<SourceSettings> source;
    Rules rules;
    StorageSettings storage;
    LedgerSettings ledger;
    std::vector<NotifierSettings> notify;
    WebSettings web;

    fs::path file;                    // where it was read from; not part of the TOML
    std::vector<std::string> places;  // of each source, for messages
};

// Reads and checks; `settings` are KEY=VALUE laid over it. Unknown keys and impossible values are InputErrors with
// their line. Asset names are expanded, paths made absolute.
Plant read_plant(const fs::path& file, const std::vector<std::string>& settings = {});
Plant parse_plant(const std::string& text, const fs::path& file, const std::vector<std::string>& settings = {});

// A channel of a model by its name outside.
struct Column {
    std::string channel, column;
};
std::vector<Column> columns_of(const AssetSettings& asset);  // of "CHANNEL=column"

}  // namespace cmr::live

#include "live/plant/fields.h"
