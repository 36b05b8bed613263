#pragma once
// What `cmr fit` asks of the training program, which gets it as JSON.

#include <string>
#include <type_traits>
#include <vector>

namespace cmr::cli {

struct FitRequest {
    std::string recipe;
    std::string data_root;
    std::string out;                    // empty: NAME.cmr here
    std::string method;                 // empty: the recipe's
    std::vector<std::string> settings;  // KEY=VALUE over the recipe
    int64_t fold = 0;
    int64_t seed = -1;  // -1: the recipe's first
    bool restart = false;
    bool json = false;
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, FitRequest>
void visit_fields(C& c, const Visit& visit) {
    visit("recipe", c.recipe, "");
    visit("data_root", c.data_root, "");
    visit("out", c.out, "");
    visit("method", c.method, "");
    visit("settings", c.settings, "");
    visit("fold", c.fold, "");
    visit("seed", c.seed, "");
    visit("restart", c.restart, "");
    visit("json", c.json, "");
}

}  // namespace cmr::cli
