#pragma once
// The system's Python, whose NumPy, SciPy, h5py and openpyxl made the files that users have.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr::test {

inline bool python_has(const std::string& module) {
    static std::map<std::string, bool> known;  // the question takes half a second
    if (!known.contains(module))
        known[module] = run_command("/usr/bin/python3 -c 'import " + module + "' 2>&1").exit_code == 0;
    return known[module];
}

// Runs the script in `folder` and gives what it printed.
inline CommandResult run_python(const TemporaryFolder& folder, const std::string& script) {
    std::ofstream(folder / "script.py") << script;
    return run_command("cd '" + folder.path().string() + "' && /usr/bin/python3 script.py 2>&1");
}

// The same for a script that only makes files, and must not fail.
inline void make_with_python(const TemporaryFolder& folder, const std::string& script) {
    const CommandResult result = run_python(folder, script);
    ASSERT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace cmr::test
