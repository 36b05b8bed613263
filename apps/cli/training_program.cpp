#include "training_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace cmr::cli {

namespace {

[[noreturn]] void start(const std::vector<std::string>& arguments) {
    const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cmr-train").string();
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    throw InputError("{}: {}; this verb trains, and its program belongs beside cmr", program,
                     std::generic_category().message(errno));
}

}  // namespace

void become_training_program(const std::vector<std::string>& arguments) { start(arguments); }

void run_training_program(const std::vector<std::string>& arguments) {
    const pid_t child = fork();
    if (child < 0) throw InputError("cannot start the training program: {}", std::generic_category().message(errno));
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        try {
            start(arguments);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "cmr: %s\n", error.what());
            _exit(2);
        }
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw InputError("training did not finish; its message is above");
}

}  // namespace cmr::cli
