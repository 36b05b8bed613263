#include "live/partner.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace cmr::live {

namespace fs = std::filesystem;

TestFolder::TestFolder() {
    std::string name = (fs::temp_directory_path() / "cmr-live-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
    fs::permissions(path_, fs::perms::all);  // a partner may run as another user
}

TestFolder::~TestFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
}

Child::Child(const std::vector<std::string>& command, const fs::path& log, const std::string& user) {
    const passwd* who = user.empty() ? nullptr : getpwnam(user.c_str());
    id_ = fork();
    if (id_ != 0) return;
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (who && (initgroups(user.c_str(), who->pw_gid) || setgid(who->pw_gid) || setuid(who->pw_uid))) _exit(126);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
}

Child::~Child() { end(SIGTERM); }

void Child::signal(int number) const {
    if (id_ > 0) kill(id_, number);
}

int Child::wait() {
    if (id_ <= 0) return 0;
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Child::end(int number) {
    signal(number);
    wait();
}

int run(const std::vector<std::string>& command, const fs::path& log, const std::string& user) {
    return Child(command, log, user).wait();
}

std::optional<std::string> find_program(const std::string& name, const std::vector<std::string>& more_folders) {
    std::vector<std::string> folders = more_folders;
    std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
    for (size_t begin = 0; begin <= path.size();) {
        const size_t end = std::min(path.find(':', begin), path.size());
        folders.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const std::string& folder : folders)
        if (const std::string program = folder + "/" + name; access(program.c_str(), X_OK) == 0) return program;
    return std::nullopt;
}

int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket, reinterpret_cast<sockaddr*>(&address), size) ||
        getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size))
        throw std::runtime_error("no free port");
    close(socket);
    return ntohs(address.sin_port);
}

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

}  // namespace cmr::live
