#pragma once
// Programs of others that a test starts and ends: a database server, a receiver of alarms.

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cmr::live {

// A folder of its own, gone at the end.
class TestFolder {
  public:
    TestFolder();
    ~TestFolder();
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// A child process, ended with its object; its output goes to `log`.
class Child {
  public:
    Child(const std::vector<std::string>& command, const std::filesystem::path& log, const std::string& user = "");
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    int id() const { return id_; }
    void signal(int number) const;
    int wait();  // its exit code, or 128 + its signal
    void end(int number = SIGTERM);

  private:
    int id_ = -1;
};

int run(const std::vector<std::string>& command, const std::filesystem::path& log, const std::string& user = "");
std::optional<std::string> find_program(const std::string& name, const std::vector<std::string>& more_folders = {});
int free_port();  // on the loopback, nobody's when asked

// Until the condition holds; false after twenty seconds.
template <typename Condition>
bool soon(const Condition& condition, double seconds = 20);
void rest();  // a moment

template <typename Condition>
bool soon(const Condition& condition, double seconds) {
    for (double waited = 0; waited < seconds; waited += 0.01) {
        if (condition()) return true;
        rest();
    }
    return condition();
}

}  // namespace cmr::live
