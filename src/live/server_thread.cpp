#include "live/server_thread.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <pthread.h>
#include <sys/socket.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <vector>

namespace cmr::live {
namespace {

constexpr auto kGrace = std::chrono::milliseconds(500);  // for requests that are under way
constexpr auto kLook = std::chrono::milliseconds(5);

int port_of(const sockaddr_storage& address) {
    if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
    if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
    return -1;
}

// Did it come in at this port?
bool came_in_at(int port, int socket) {
    sockaddr_storage here{}, there{};
    socklen_t size = sizeof here, there_size = sizeof there;
    return ::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size) == 0 && port_of(here) == port &&
           ::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_size) == 0;
}

// The library does not tell which connections it has; the system does.
void hang_up(int port) {
    std::error_code none;
    std::vector<int> open;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
        const std::string name = entry.path().filename().string();
        int number = -1;
        std::from_chars(name.data(), name.data() + name.size(), number);
        open.push_back(number);
    }
    for (const int number : open)
        if (came_in_at(port, number)) ::shutdown(number, SHUT_RDWR);
}

}  // namespace

ServerThread::ServerThread(httplib::Server& server, int port, const char* name) : server_(server), port_(port) {
    thread_ = std::thread([this] {
        server_.listen_after_bind();
        ended_ = true;
    });
    pthread_setname_np(thread_.native_handle(), name);
    while (!server_.is_running() && !ended_) std::this_thread::sleep_for(kLook);  // or a stop is not heard
}

ServerThread::~ServerThread() {
    server_.stop();
    const auto end = std::chrono::steady_clock::now() + kGrace;
    while (!ended_) {
        if (std::chrono::steady_clock::now() > end) hang_up(port_);
        std::this_thread::sleep_for(kLook);
    }
    thread_.join();
}

}  // namespace cmr::live
