#pragma once
// The thread that a server of HTTP listens in. At the end requests that are under way may come to theirs; then clients
// that only hold a connection are hung up on: the library would wait for each of them as long as it is patient.

#include <atomic>
#include <thread>

namespace httplib {
class Server;
}  // namespace httplib

namespace cmr::live {

class ServerThread {
  public:
    // Of a server that is bound to this port, and outlives it. Listens when it returns.
    ServerThread(httplib::Server& server, int port, const char* name);
    ~ServerThread();
    ServerThread(const ServerThread&) = delete;
    ServerThread& operator=(const ServerThread&) = delete;

  private:
    httplib::Server& server_;
    const int port_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

}  // namespace cmr::live
