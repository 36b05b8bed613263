#pragma once
// The program in a folder with a small plant, as a user meets it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "support/run_command.h"
#include "support/small_plant.h"
#include "support/temporary_folder.h"

namespace cmr::test {

inline std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

inline int64_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

struct Program : SmallPlant {
    Program() { write_small_plant(folder.path()); }

    // A shell command in the folder, in which `cmr` is the program.
    std::string in_folder(const std::string& command) const {
        return fmt::format("cd '{}' && unset CMR_DATA_ROOT && PATH='{}':$PATH && {}", folder.path().string(),
                           std::getenv("CMR_BIN"), command);
    }
    CommandResult shell(const std::string& command) const { return run_command(in_folder(command)); }
    CommandResult cmr(const std::string& arguments) const { return shell("cmr " + arguments + " 2>&1"); }
    void must(const std::string& arguments) const {
        const CommandResult result = cmr(arguments);
        ASSERT_EQ(result.exit_code, 0) << result.output;
    }
    bool trains() const { return cmr("info --json").output.find("\"libtorch\": null") == std::string::npos; }

    TemporaryFolder folder;
};

}  // namespace cmr::test
