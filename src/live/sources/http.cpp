// A port of its own for writes over HTTP, with TLS where there is a certificate.

#include "base/error.h"
#include "live/server_thread.h"
#include "live/sources/http_writer.h"
#include "live/sources/make.h"

namespace cmr::live {
namespace {

constexpr time_t kSilence_s = 5;    // a client that says nothing for so long is let go
constexpr size_t kThreads = 32;     // slow clients hold one each
constexpr size_t kKeptAlive = 100;  // requests over one connection

struct Listening {
    std::string host;
    int port = 0;
};

Listening parse_listening(const SourceSettings& settings, const SourceContext& context) {
    const std::string& address = settings.address;
    const size_t colon = address.rfind(':');
    Listening out;
    if (colon != std::string::npos) {
        out.host = address.substr(0, colon);
        if (out.host.starts_with('[') && out.host.ends_with(']')) out.host = out.host.substr(1, out.host.size() - 2);
        const std::string port = address.substr(colon + 1);
        if (!port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos)
            out.port = std::stoi(port);
    }
    if (out.host.empty() || out.port < 1 || out.port > 65535)
        throw InputError("{}: source '{}' has the address '{}', expected host:port", context.place, settings.name,
                         address);
    return out;
}

class HttpSource final : public Source {
  public:
    HttpSource(const SourceSettings& settings, const SourceContext& context)
        : settings_(settings), place_(context.place), writer_(settings, context) {
        refuse_unused(settings, context,
                      {"address", "channel_field", "value_field", "time_field", "arrival_time", "token_file",
                       "certificate_file", "key_file", "max_message"});
        require(settings.address, "address", settings, context);
        listening_ = parse_listening(settings, context);
        if (settings.certificate_file.empty() != settings.key_file.empty())
            throw InputError("{}: source '{}' has one of certificate_file and key_file, expected both or none",
                             context.place, settings.name);
    }
    ~HttpSource() override { stop(); }

    void start(Sink& sink) override {
        server_ = make_server();
        // The library's own options would let two programs share the port.
        server_->set_socket_options([](socket_t socket) {
            const int yes = 1;
            ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        server_->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
        server_->set_read_timeout(kSilence_s);
        server_->set_write_timeout(kSilence_s);
        server_->set_keep_alive_timeout(kSilence_s);
        server_->set_keep_alive_max_count(kKeptAlive);
        server_->set_payload_max_length(static_cast<size_t>(settings_.max_message));
        writer_.add_routes(*server_);
        if (!server_->bind_to_port(listening_.host, listening_.port))
            throw InputError("{}: source '{}' cannot listen on {}: is the port taken?", place_, settings_.name,
                             settings_.address);
        writer_.open(sink);
        writer_.status().set(true, settings_.address);
        thread_ = std::make_unique<ServerThread>(*server_, listening_.port, "cmr-http");
    }

    void stop() override {
        thread_.reset();
        writer_.close();
        server_.reset();
        writer_.status().set(false, "stopped");
    }

    SourceStatus status() const override { return writer_.status().get(); }

  private:
    std::unique_ptr<httplib::Server> make_server() const {
        if (settings_.certificate_file.empty()) return std::make_unique<httplib::Server>();
        auto server =
            std::make_unique<httplib::SSLServer>(settings_.certificate_file.c_str(), settings_.key_file.c_str());
        if (!server->is_valid())
            throw InputError("{}: source '{}': {} and {} are not a certificate and its key", place_, settings_.name,
                             settings_.certificate_file, settings_.key_file);
        return server;
    }

    const SourceSettings settings_;
    const std::string place_;
    HttpWriter writer_;
    Listening listening_;
    std::unique_ptr<httplib::Server> server_;
    std::unique_ptr<ServerThread> thread_;
};

}  // namespace

std::unique_ptr<Source> make_http_source(const SourceSettings& settings, const SourceContext& context) {
    return std::make_unique<HttpSource>(settings, context);
}

}  // namespace cmr::live
