#pragma once
// Small files in a folder of their own, and what a recipe says of those of a rig.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temporary_folder.h"

namespace cmr::test {

inline const std::string kCauseAndEffect = R"(
[[channels]]
role = "cause"
group = "in"
names = ["u"]
[[channels]]
role = "effect"
group = "out"
names = ["y"]
)";

// Files of rig/: a row per cycle of two seconds, u.txt, y.txt, and labels.txt, which says of each cycle whether it
// leaks and whether it is to be left out.
inline const std::string kCycles = R"(
name = "rig"
[data]
rate_hz = 2.0
layout = "cycles"
cycle_s = 2.0
[data.read]
header = "no"
[data.labels]
file = "rig/labels.txt"
column = "leak"
healthy = ["0"]
faulty = ["1"]
strata = ["weak"]
keep_column = "unstable"
keep = ["0"]
read = { header = "no", names = ["leak", "unstable"] }
[[data.part]]
name = "cycles"
files = "rig/{channel}.txt"
exclude = ["rig/labels.txt"]
)" + kCauseAndEffect;

class SmallFiles : public testing::Test {
  protected:
    std::filesystem::path write(const std::string& name, const std::string& text) {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }

    TemporaryFolder folder_;
};

}  // namespace cmr::test
