#include "training_program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>
#include <system_error>

#include "base/error.h"
#include "build_info.h"
#include "run_program.h"

namespace cmr::cli {

namespace {

// Beside cmr, as in a build, or where packages have it.
std::filesystem::path training_program() {
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::filesystem::path beside = folder / "cmr-train";
    const std::filesystem::path installed = (folder / kInstalledTrainingProgram).lexically_normal();
    for (const auto& place : {beside, installed})
        if (std::filesystem::exists(place)) return place;
    throw InputError(
        "this verb trains, which takes the program cmr-train, and it is neither {} nor {}; on Debian it is in the "
        "package cmr-train",
        beside.string(), installed.string());
}

[[noreturn]] void start(const std::vector<std::string>& arguments) {
    const std::string program = training_program().string();
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    throw InputError("{}: {}", program, std::generic_category().message(errno));
}

// A child that becomes cmr-train after `prepare`.
pid_t start_child(const std::vector<std::string>& arguments, const std::function<void()>& prepare) {
    const pid_t child = fork();
    if (child < 0) throw SystemError("cannot start the training program: {}", std::generic_category().message(errno));
    if (child == 0) {
        try {
            prepare();
            start(arguments);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "cmr: %s\n", error.what());
            _exit(2);
        }
    }
    return child;
}

TrainingEnd wait_for(pid_t child) {
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    TrainingEnd out;
    out.peak_mb = static_cast<double>(used.ru_maxrss) / 1024;
    if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
    out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return out;
}

void redirect(const std::filesystem::path& file, int number) {
    const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (opened < 0 || dup2(opened, number) < 0) fail_with(errno, file.string());
    close(opened);
}

std::atomic<pid_t> listener = 0;  // the child that is told of signals
std::atomic<bool> told = false;

void tell_child(int number) {
    told = true;
    if (const pid_t child = listener; child > 0) kill(child, number);
}

}  // namespace

void become_training_program(const std::vector<std::string>& arguments) { start(arguments); }

void run_training_program(const std::vector<std::string>& arguments) {
    const TrainingEnd end = wait_for(start_child(arguments, [] { dup2(STDERR_FILENO, STDOUT_FILENO); }));
    if (end.signal == SIGINT || end.signal == SIGTERM) throw Interrupted(end.signal, "stopped while training");
    if (end.signal != 0)
        throw SystemError("training was ended by signal {}{}", end.signal,
                          end.signal == SIGKILL ? "; was memory short?" : "");
    const std::string message = "training did not finish; its message is above";
    if (end.code == kExitSystem) throw SystemError(message);
    if (end.code != 0) throw InputError(message);
}

TrainingEnd run_training_program(const std::vector<std::string>& arguments, const std::filesystem::path& result,
                                 const std::filesystem::path& messages) {
    const pid_t child = start_child(arguments, [&, parent = getpid()] {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(1);  // it died before we asked to be told
        redirect(result, STDOUT_FILENO);
        redirect(messages, STDERR_FILENO);
    });
    told = false;
    listener = child;
    struct sigaction ours {
    }, old_interrupt{}, old_end{};
    ours.sa_handler = tell_child;
    sigaction(SIGINT, &ours, &old_interrupt);
    sigaction(SIGTERM, &ours, &old_end);
    TrainingEnd end = wait_for(child);
    listener = 0;
    end.stop = told || end.signal == SIGINT || end.signal == SIGTERM;
    sigaction(SIGINT, &old_interrupt, nullptr);
    sigaction(SIGTERM, &old_end, nullptr);
    return end;
}

}  // namespace cmr::cli
