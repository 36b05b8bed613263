#pragma once
// The page, the API, the metrics and the health of the monitor over HTTP, or HTTPS. Who reaches it may read; whatever
// changes something takes a token.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "live/address.h"
#include "live/clock.h"
#include "live/engine.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace cmr::live {

class ServerThread;

class WebServer {
  public:
    // Listens when it returns. `ledger`: a connection of its own. InputError where the address is taken.
    WebServer(Engine& engine, const WebSettings& settings, std::vector<std::string> tokens,
              std::unique_ptr<Ledger> ledger, const Clock& clock = system_clock());
    ~WebServer();
    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;

    const Address& address() const { return address_; }  // with the port that it got
    std::string link() const;

  private:
    void add_pages();
    void add_api();
    void add_health();
    bool may_enter(const httplib::Request& request, httplib::Response& response) const;
    bool shows_token(const httplib::Request& request) const;
    void send_levels(const httplib::Request& request, httplib::Response& response);
    void send_events(httplib::Response& response);

    Engine& engine_;
    const WebSettings settings_;
    const std::vector<std::string> tokens_;
    const std::unique_ptr<Ledger> ledger_;
    const Clock& clock_;
    Address address_;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> listeners_ = 0;
    std::unique_ptr<httplib::Server> server_;
    std::unique_ptr<ServerThread> thread_;
};

}  // namespace cmr::live
