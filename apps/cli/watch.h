#pragma once
// `cmr watch`: the live monitor of a plant.

#include <filesystem>
#include <string>
#include <vector>

namespace cmr::cli {

struct WatchOptions {
    std::filesystem::path plant;                   // plant.toml
    bool check = false;                            // say what it would do, and stop
    bool demo = false;                             // a simulated plant instead
    std::filesystem::path out = "cmr-watch-demo";  // of the demo
    double speed = 60;                             // of the demo's time
    std::vector<std::string> settings;             // KEY=VALUE over plant.toml
    double stop_after_s = 0;                       // stop after; 0: when asked to
};

std::string watch(const WatchOptions& options);

}  // namespace cmr::cli
