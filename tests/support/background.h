#pragma once
// A shell command that goes on while the test does something else, in a process group of its own as a terminal gives
// it. Whatever is left of it ends with this object.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace cmr::test {

class Background {
  public:
    // What it prints goes to `output`.
    Background(const std::string& command, const std::filesystem::path& output) {
        pid_ = fork();
        if (pid_ == 0) {
            setpgid(0, 0);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            _exit(127);
        }
        setpgid(pid_, pid_);
    }
    ~Background() {
        kill(-pid_, SIGKILL);
        if (!ended_) wait();
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    pid_t pid() const { return pid_; }
    void tell(int signal) const { kill(pid_, signal); }
    void tell_group(int signal) const { kill(-pid_, signal); }  // as Ctrl-C does

    // Exit code; 128 and the signal where one ended it, as a shell has it.
    int wait() {
        int status = 0;
        rusage used{};
        wait4(pid_, &status, 0, &used);
        peak_bytes_ = int64_t{used.ru_maxrss} * 1024;
        ended_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    // After wait(): of its memory.
    int64_t peak_bytes() const { return peak_bytes_; }

  private:
    pid_t pid_ = 0;
    int64_t peak_bytes_ = 0;
    bool ended_ = false;
};

// Waits until `happened`, but not for ever.
template <typename Happened>
bool wait_until(const Happened& happened, double seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!happened()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

inline std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> out;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        // 12 (name of the program) S 11 …: its state, then its parent.
        const size_t end = line.rfind(')');
        if (end != std::string::npos && std::stoi(line.substr(end + 4)) == parent) out.push_back(std::stoi(name));
    }
    return out;
}

// Processes whose command line holds all of these words.
inline std::vector<pid_t> processes_with(const std::vector<std::string>& words) {
    std::vector<pid_t> out;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "cmdline", std::ios::binary);
        std::string line{std::istreambuf_iterator<char>(file), {}};
        for (char& c : line)
            if (c == '\0') c = ' ';
        bool all = !line.empty();
        for (const std::string& word : words) all = all && line.find(word) != std::string::npos;
        if (all) out.push_back(std::stoi(name));
    }
    return out;
}

}  // namespace cmr::test
