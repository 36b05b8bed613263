#include "live/web/server.h"

#include <httplib.h>

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/version.h"
#include "live/metrics.h"
#include "live/server_thread.h"
#include "live/web/api.h"
#include "live/web/files.h"
#include "report/look.h"

namespace cmr::live {
namespace {

constexpr size_t kLargestBody = 64 << 10;
constexpr int kThreads = 24, kListeners = 12;  // the latter keep a thread each
constexpr time_t kPatience_s = 5;              // with a client that says nothing
constexpr double kEventPause_s = 0.25;         // from one event to the next, at least
constexpr double kHeartbeat_s = 10;
constexpr double kFineDays = 3;  // longer spans are drawn from hours
constexpr int64_t kMostPoints = 2000, kMostEntries = 1000;

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void send_json(httplib::Response& response, const io::Json& json, int status = 200) {
    response.status = status;
    response.set_content(io::to_text(json), "application/json");
}

void send_error(httplib::Response& response, int status, const std::string& message) {
    send_json(response, {{"error", message}}, status);
}

double number_of(const httplib::Request& request, const char* name, double otherwise) {
    if (!request.has_param(name)) return otherwise;
    const std::string text = request.get_param_value(name);
    double out = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(std::fabs(out) < 1e15))
        throw InputError("{}={}: expected a number", name, text);
    return out;
}

// Takes as long for a wrong token as for a right one.
bool same(const std::string& a, const std::string& b) {
    unsigned char difference = a.size() == b.size() ? 0 : 1;
    for (size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
    return difference == 0;
}

// Handlers throw; clients get a status.
template <typename Handler>
auto guarded(const Handler& handler) {
    return [handler](const httplib::Request& request, httplib::Response& response) {
        try {
            handler(request, response);
        } catch (const InputError& error) {
            send_error(response, 400, error.what());
        } catch (const SystemError& error) {
            send_error(response, 503, error.what());
        }
    };
}

std::string host_of(const std::string& header) {
    try {
        return parse_address(header.ends_with(']') || header.find(':') == std::string::npos ? header + ":0" : header)
            .host;
    } catch (const InputError&) {
        return "";
    }
}

}  // namespace

WebServer::WebServer(Engine& engine, const WebSettings& settings, std::vector<std::string> tokens,
                     std::unique_ptr<Ledger> ledger, const Clock& clock)
    : engine_(engine),
      settings_(settings),
      tokens_(std::move(tokens)),
      ledger_(std::move(ledger)),
      clock_(clock),
      address_(parse_address(settings.address)) {
    if (settings.certificate_file.empty())
        server_ = std::make_unique<httplib::Server>();
    else
        server_ = std::make_unique<httplib::SSLServer>(settings.certificate_file.c_str(), settings.key_file.c_str());
    if (!server_->is_valid())
        throw InputError("{} and {} are no certificate with its key", settings.certificate_file, settings.key_file);
    server_->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_->set_payload_max_length(kLargestBody);
    server_->set_read_timeout(kPatience_s);
    server_->set_write_timeout(kPatience_s);
    server_->set_keep_alive_timeout(kPatience_s);
    server_->set_tcp_nodelay(true);
    // Without the default of sharing the port with another that listens there.
    server_->set_socket_options([](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_->set_default_headers({{"Content-Security-Policy", kPolicy},
                                  {"X-Content-Type-Options", "nosniff"},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"Cache-Control", "no-store"}});
    server_->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
        return may_enter(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                            : httplib::Server::HandlerResponse::Handled;
    });
    add_health();
    add_pages();
    add_api();
    if (address_.port == 0)
        address_.port = server_->bind_to_any_port(address_.host);
    else if (!server_->bind_to_port(address_.host, address_.port))
        address_.port = -1;
    if (address_.port < 0) throw InputError("{}: something else listens there, or may not", settings.address);
    thread_ = std::make_unique<ServerThread>(*server_, address_.port, "cmr-web");
}

WebServer::~WebServer() {
    stopping_ = true;
    thread_.reset();
}

std::string WebServer::link() const {
    if (!settings_.link.empty()) return settings_.link;
    return fmt::format("{}://{}/", settings_.certificate_file.empty() ? "http" : "https", to_text(address_));
}

// A page of somebody else that makes its own name point here must not read ours.
bool WebServer::may_enter(const httplib::Request& request, httplib::Response& response) const {
    if (is_loopback(address_.host) && settings_.link.empty() &&
        !is_loopback(host_of(request.get_header_value("Host")))) {
        send_error(response, 421, "this monitor is known by another name");
        return false;
    }
    if (request.method == "GET" || request.method == "HEAD" || shows_token(request)) return true;
    response.set_header("WWW-Authenticate", "Bearer");
    send_error(response, 401, "a token is needed");
    return false;
}

bool WebServer::shows_token(const httplib::Request& request) const {
    const std::string shown = request.get_header_value("Authorization");
    bool known = false;
    for (const std::string& token : tokens_) known |= same(shown, "Bearer " + token);
    return known;
}

void WebServer::add_health() {
    server_->Get("/healthz", [this](const httplib::Request&, httplib::Response& response) {
        const double silent_s = clock_.steady_s() - engine_.status().round_s;
        response.status = silent_s < kStuck_s ? 200 : 503;
        response.set_content(silent_s < kStuck_s ? "ok\n" : "judging has stopped\n", "text/plain");
    });
    server_->Get("/readyz", [this](const httplib::Request&, httplib::Response& response) {
        const EngineStatus status = engine_.status();
        std::string why;
        if (!status.intake.safe) why += "journal: " + status.intake.trouble + "\n";
        if (!status.recorder.reached) why += "ledger: " + status.recorder.trouble + "\n";
        for (const NamedSource& source : status.sources)
            if (!source.status.connected) why += "source " + source.name + ": " + source.status.detail + "\n";
        response.status = why.empty() ? 200 : 503;
        response.set_content(why.empty() ? "ok\n" : why, "text/plain");
    });
    server_->Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
        response.set_content(metrics_text(engine_.status(), engine_.views(), clock_.wall_s()),
                             "text/plain; version=0.0.4; charset=utf-8");
    });
}

void WebServer::add_pages() {
    for (const WebFile& file : web_files())
        server_->Get(std::string(file.path), [&file](const httplib::Request&, httplib::Response& response) {
            response.set_content(file.content.data(), file.content.size(), std::string(file.type).c_str());
        });
    server_->Get("/style.css", [](const httplib::Request&, httplib::Response& response) {
        response.set_content(report::kStyle, "text/css; charset=utf-8");
    });
}

void WebServer::add_api() {
    server_->Get("/api/plant", guarded([this](const httplib::Request&, httplib::Response& response) {
                     const Plant plant = engine_.plant();
                     send_json(response, {{"name", plant.name},
                                          {"version", std::string(version())},
                                          {"level_s", plant.ledger.level_s},
                                          {"keep_levels_days", plant.ledger.keep_levels_days},
                                          {"wall_s", clock_.wall_s()}});
                 }));
    server_->Get("/api/assets", guarded([this](const httplib::Request&, httplib::Response& response) {
                     io::Json out = io::Json::array();
                     for (const AssetView& view : engine_.views()) out.push_back(summary_json(view));
                     send_json(response, out);
                 }));
    server_->Get("/api/asset", guarded([this](const httplib::Request& request, httplib::Response& response) {
                     const auto view = engine_.view(request.get_param_value("name"));
                     if (!view) return send_error(response, 404, "there is no such asset");
                     send_json(response, detail_json(*view));
                 }));
    server_->Get("/api/levels", guarded([this](const httplib::Request& request, httplib::Response& response) {
                     send_levels(request, response);
                 }));
    server_->Get("/api/entries", guarded([this](const httplib::Request& request, httplib::Response& response) {
                     EntryQuery query;
                     query.asset = request.get_param_value("asset");
                     query.before_id = static_cast<int64_t>(number_of(request, "before", 0));
                     query.limit = static_cast<int64_t>(
                         std::clamp(number_of(request, "limit", 100), 1.0, static_cast<double>(kMostEntries)));
                     io::Json out = io::Json::array();
                     for (const Entry& entry : ledger_->entries(query)) out.push_back(entry_json(entry));
                     send_json(response, out);
                 }));
    server_->Get("/api/status", guarded([this](const httplib::Request&, httplib::Response& response) {
                     send_json(response, status_json(engine_.status()));
                 }));
    server_->Get("/api/events",
                 guarded([this](const httplib::Request&, httplib::Response& response) { send_events(response); }));
    server_->Post("/api/act", guarded([this](const httplib::Request& request, httplib::Response& response) {
                      send_json(response, entry_json(engine_.act(parse_action(request.body))));
                  }));
    server_->Get("/api/token", guarded([this](const httplib::Request& request, httplib::Response& response) {
                     if (!shows_token(request)) return send_error(response, 401, "not a token of this monitor");
                     send_json(response, {{"ok", true}});
                 }));
}

void WebServer::send_levels(const httplib::Request& request, httplib::Response& response) {
    const auto view = engine_.view(request.get_param_value("asset"));
    if (!view) return send_error(response, 404, "there is no such asset");
    const double to_s = number_of(request, "to", view->event_s + 1), from_s = number_of(request, "from", to_s - 86400);
    if (!(from_s < to_s)) throw InputError("from={} is not before to={}", from_s, to_s);
    const auto points =
        static_cast<int64_t>(std::clamp(number_of(request, "points", 600), 1.0, static_cast<double>(kMostPoints)));
    const bool fine = to_s - from_s <= kFineDays * 86400;
    const int64_t resolution_s = fine ? engine_.plant().ledger.level_s : 3600;
    // The span that `from` lies in is shown too, so that a short look never falls between two beginnings.
    const auto resolution = static_cast<double>(resolution_s);
    const double begin_s = std::floor(from_s / resolution) * resolution;
    std::vector<Level> levels = ledger_->levels(view->name, resolution_s, begin_s, to_s);
    // The span that is not over is not in the ledger yet.
    const Level& open = view->open.at(fine ? 0 : 1);
    if (open.windows > 0 && open.begin_s >= begin_s && open.begin_s < to_s &&
        (levels.empty() || levels.back().begin_s < open.begin_s))
        levels.push_back(open);
    io::Json curve = curve_json(pooled(std::move(levels), from_s, to_s, resolution_s, points), view->effects);
    curve["first_s"] = ledger_->first_level_s(view->name, resolution_s).value_or(open.begin_s);
    send_json(response, curve);
}

// What changed, as server-sent events, until the client goes.
void WebServer::send_events(httplib::Response& response) {
    if (++listeners_ > kListeners) {
        --listeners_;
        return send_error(response, 503, fmt::format("{} pages are open already", kListeners));
    }
    auto version = std::make_shared<uint64_t>(0);
    auto quiet_since = std::make_shared<double>(system_clock().steady_s());
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, version, quiet_since](size_t, httplib::DataSink& sink) {
            if (stopping_) return false;
            const std::vector<AssetView> views = engine_.changed(*version, 1);
            if (views.empty()) {
                if (system_clock().steady_s() < *quiet_since + kHeartbeat_s) return true;
                *quiet_since = system_clock().steady_s();
                return sink.write(":\n\n", 3);
            }
            io::Json list = io::Json::array();
            for (const AssetView& view : views) {
                *version = std::max(*version, view.version);
                list.push_back(summary_json(view));
            }
            *quiet_since = system_clock().steady_s();
            const std::string text = "event: assets\ndata: " + io::to_text(list) + "\n\n";
            if (!sink.write(text.data(), text.size())) return false;
            std::this_thread::sleep_for(std::chrono::duration<double>(kEventPause_s));
            return true;
        },
        [this](bool) { --listeners_; });
}

}  // namespace cmr::live
