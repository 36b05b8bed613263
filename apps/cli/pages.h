#pragma once
// Manual pages and shell completions of the whole command line.

#include <filesystem>

#include "command.h"

namespace cmr::cli {

// Writes into a folder, which is made: man1/cmr.1 and a page for each verb (cmr-fit.1), and the completions
// cmr.bash, _cmr (zsh) and cmr.fish.
void write_pages(const Command& program, const std::filesystem::path& folder);

}  // namespace cmr::cli
