#pragma once
// The command line as data: what manual pages and shell completions are made of, so that they miss no option.

#include <string>
#include <vector>

namespace cmr::cli {

struct CommandOption {
    std::vector<std::string> names;  // "-h" and "--help"; "RECIPE" of a positional
    std::string value;               // what it takes, such as "TEXT"; empty: a flag
    std::string help;
    bool positional = false, required = false;
};

struct Command {
    std::string name;         // "cmr", "fit"
    std::string description;  // one line
    std::string footer;
    std::vector<CommandOption> options;
    std::vector<Command> verbs;
};

}  // namespace cmr::cli
