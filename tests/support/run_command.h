#pragma once
// Runs a shell command and keeps what it printed.

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace cmr::test {

struct CommandResult {
    int exit_code = -1;  // -1 when it did not exit by itself
    std::string output;  // add 2>&1 to the command to see its errors too
};

inline CommandResult run_command(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run " + command);
    CommandResult result;
    std::array<char, 4096> piece;
    while (const size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) result.output.append(piece.data(), got);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    return result;
}

}  // namespace cmr::test
