#include "live/mqtt/connection.h"

#include <fcntl.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <utility>

#include "base/error.h"
#include "io/file.h"

namespace cmr::live {
namespace {

constexpr int kKeepAlive_s = 30;
constexpr double kConnect_s = 10;           // for a connection to be made, and again for the broker's answer
constexpr int kLook_ms = 50;                // how often we look whether to give up
constexpr uint16_t kUnacknowledged = 1000;  // messages that the broker sends before we have acknowledged some
constexpr size_t kBytesAtOnce = 1 << 20;    // of messages that are handed over together, or one that is longer
constexpr auto kOnline = "online", kOffline = "offline";

struct Broker {
    std::string host;
    int port = 0;
    bool tls = false;
};

Broker parse_broker(const std::string& address) {
    Broker out;
    std::string_view rest = address;
    if (rest.starts_with("mqtts://"))
        out.tls = true;
    else if (!rest.starts_with("mqtt://"))
        throw InputError("the broker's address is '{}', expected mqtt://host:1883 or mqtts://host:8883", address);
    rest.remove_prefix(out.tls ? 8 : 7);
    const size_t colon = rest.ends_with(']') ? std::string_view::npos : rest.rfind(':');
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    out.host = host;
    out.port = out.tls ? 8883 : 1883;
    if (colon != std::string_view::npos) {
        const std::string port(rest.substr(colon + 1));
        const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
        out.port = digits ? std::stoi(port) : 0;
    }
    if (out.host.empty() || out.host.find('/') != std::string::npos || out.port < 1 || out.port > 65535)
        throw InputError("the broker's address is '{}', expected mqtt://host:1883 or mqtts://host:8883", address);
    return out;
}

// The library waits for a host that does not answer as long as the system does, which is minutes: ask first.
void expect_listener(const Broker& broker, const MqttConnection::GiveUp& give_up) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int error = ::getaddrinfo(broker.host.c_str(), std::to_string(broker.port).c_str(), &hints, &found))
        throw SystemError("{}: {}", broker.host, ::gai_strerror(error));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    int failure = ETIMEDOUT;
    for (const addrinfo* at = found; at; at = at->ai_next) {
        const io::Descriptor socket(::socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (socket.number() < 0) continue;
        if (::connect(socket.number(), at->ai_addr, at->ai_addrlen) == 0) return;
        pollfd ready{socket.number(), POLLOUT, 0};
        int error = errno;
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kConnect_s);
        int answers = 0;
        while (error == EINPROGRESS && answers == 0 && !give_up() && std::chrono::steady_clock::now() < end)
            answers = ::poll(&ready, 1, kLook_ms);
        if (answers > 0) {
            socklen_t size = sizeof error;
            ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
            if (error == 0) return;
            failure = error;
        } else if (error != EINPROGRESS) {
            failure = error;
        }
    }
    throw SystemError("{}:{}: {}", broker.host, broker.port, ::strerror(failure));
}

void check(int code, const char* what) {
    if (code == MOSQ_ERR_SUCCESS) return;
    if (code == MOSQ_ERR_ERRNO) throw SystemError("{}: {}", what, ::strerror(errno));
    if (code == MOSQ_ERR_TLS || code == MOSQ_ERR_INVAL) throw InputError("{}: {}", what, mosquitto_strerror(code));
    throw SystemError("{}: {}", what, mosquitto_strerror(code));
}

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// The library is set up once for the process.
void set_up_library() {
    static const int done = mosquitto_lib_init();
    check(done, "libmosquitto");
}

// A list of properties of a packet.
class Properties {
  public:
    ~Properties() { mosquitto_property_free_all(&list_); }
    Properties() = default;
    Properties(const Properties&) = delete;
    Properties& operator=(const Properties&) = delete;

    void add(int name, uint32_t value) { check(mosquitto_property_add_int32(&list_, name, value), "property"); }
    void add_short(int name, uint16_t value) { check(mosquitto_property_add_int16(&list_, name, value), "property"); }
    const mosquitto_property* list() const { return list_; }

  private:
    mosquitto_property* list_ = nullptr;
};

}  // namespace

struct MqttConnection::State {
    struct Destroy {
        void operator()(mosquitto* client) const { mosquitto_destroy(client); }
    };

    Receive receive;
    GiveUp give_up;
    std::string presence_topic;
    std::unique_ptr<mosquitto, Destroy> client;
    std::map<int, Answered> unanswered;
    int64_t handed_over = 0;
    size_t bytes = 0;          // of them, since the last receive() began
    int connected = -1;        // the broker's answer; -1: none yet
    std::vector<int> granted;  // likewise, to each topic that we ask for
    bool had_session = false;
    std::string lost;
    std::exception_ptr failure;  // of `receive`: must not pass through the library

    static State& of(void* user) { return *static_cast<State*>(user); }

    static void on_connect(mosquitto*, void* user, int reason, int flags, const mosquitto_property*) {
        of(user).connected = reason;
        of(user).had_session = (flags & 1) != 0;
    }
    static void on_disconnect(mosquitto*, void* user, int reason, const mosquitto_property*) {
        of(user).lost = reason < MQTT_RC_UNSPECIFIED ? mosquitto_strerror(reason) : mosquitto_reason_string(reason);
    }
    static void on_message(mosquitto*, void* user, const mosquitto_message* message, const mosquitto_property*) {
        State& self = of(user);
        ++self.handed_over;
        self.bytes += static_cast<size_t>(message->payloadlen);
        if (self.failure) return;
        try {
            self.receive(message->topic,
                         {static_cast<const char*>(message->payload), static_cast<size_t>(message->payloadlen)});
        } catch (...) {
            self.failure = std::current_exception();
        }
    }
    static void on_subscribe(mosquitto*, void* user, int, int count, const int* granted, const mosquitto_property*) {
        of(user).granted.assign(granted, granted + count);
    }
    static void on_publish(mosquitto*, void* user, int number, int reason, const mosquitto_property*) {
        const auto item = of(user).unanswered.extract(number);
        if (item.empty() || !item.mapped()) return;
        const bool refused = reason >= MQTT_RC_UNSPECIFIED;
        item.mapped()(refused ? std::optional<std::string>(mosquitto_reason_string(reason)) : std::nullopt);
    }

    void expect(int code, const char* what) const {
        if (connected > 0) throw InputError("the broker refused us: {}", mosquitto_reason_string(connected));
        if (!lost.empty()) throw SystemError("the broker closed the connection: {}", lost);
        check(code, what);
    }
};

void check_mqtt_address(const std::string& address) { parse_broker(address); }

bool matches_filter(std::string_view topic, const std::string& filter) {
    bool result = false;
    return mosquitto_topic_matches_sub(filter.c_str(), std::string(topic).c_str(), &result) == MOSQ_ERR_SUCCESS &&
           result;
}

MqttConnection::MqttConnection(const MqttSettings& settings, Receive receive, GiveUp give_up)
    : state_(std::make_unique<State>()) {
    set_up_library();
    const Broker broker = parse_broker(settings.address);
    State& state = *state_;
    state.receive = std::move(receive);
    state.give_up = std::move(give_up);
    state.presence_topic = settings.presence_topic;
    state.client.reset(mosquitto_new(settings.client_id.c_str(), /*clean_session=*/false, &state));
    mosquitto* client = state.client.get();
    if (!client) throw SystemError("no memory for a connection to {}", settings.address);
    check(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "MQTT 5");
    // Packets are then queued, to be written when we say so: this holds acknowledgements back.
    check(mosquitto_threaded_set(client, true), "threads");
    mosquitto_connect_v5_callback_set(client, State::on_connect);
    mosquitto_disconnect_v5_callback_set(client, State::on_disconnect);
    mosquitto_message_v5_callback_set(client, State::on_message);
    mosquitto_subscribe_v5_callback_set(client, State::on_subscribe);
    mosquitto_publish_v5_callback_set(client, State::on_publish);
    if (!settings.user.empty())
        check(mosquitto_username_pw_set(client, settings.user.c_str(), or_null(settings.password)), "user name");
    if (broker.tls)
        check(
            mosquitto_tls_set(client, or_null(settings.ca_file), settings.ca_file.empty() ? "/etc/ssl/certs" : nullptr,
                              or_null(settings.certificate_file), or_null(settings.key_file), nullptr),
            "the files of TLS");
    if (!settings.presence_topic.empty())
        check(mosquitto_will_set_v5(client, settings.presence_topic.c_str(),
                                    static_cast<int>(std::string_view(kOffline).size()), kOffline, 1, /*retain=*/true,
                                    nullptr),
              "presence_topic");

    expect_listener(broker, state.give_up);
    Properties properties;
    const double session_s = std::clamp(std::ceil(settings.session_s), 0.0, 4294967294.0);
    properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, static_cast<uint32_t>(session_s));
    properties.add_short(MQTT_PROP_RECEIVE_MAXIMUM, kUnacknowledged);
    properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, static_cast<uint32_t>(settings.max_message));
    check(mosquitto_connect_bind_v5(client, broker.host.c_str(), broker.port, kKeepAlive_s, nullptr, properties.list()),
          "cannot connect");
    await([&] { return state.connected >= 0; });
    state.expect(MOSQ_ERR_SUCCESS, "cannot connect");
    if (!settings.filters.empty()) subscribe(settings);
    if (!settings.presence_topic.empty()) publish(settings.presence_topic, kOnline, true);
}

MqttConnection::~MqttConnection() = default;

// All in one packet, and before any message can have come: what is sent here acknowledges none.
void MqttConnection::subscribe(const MqttSettings& settings) {
    std::vector<char*> filters;
    for (const std::string& filter : settings.filters) filters.push_back(const_cast<char*>(filter.c_str()));
    check(mosquitto_subscribe_multiple(state_->client.get(), nullptr, static_cast<int>(filters.size()), filters.data(),
                                       1, 0, nullptr),
          "cannot subscribe");
    await([&] { return !state_->granted.empty(); });
    for (size_t i = 0; i < std::min(filters.size(), state_->granted.size()); ++i)
        if (state_->granted[i] >= MQTT_RC_UNSPECIFIED)
            throw InputError("{}: the broker refused the topic '{}': {}", settings.address, settings.filters[i],
                             mosquitto_reason_string(state_->granted[i]));
}

// Sends, and waits for the answer. TLS may need several turns before it sends; once messages have come, nothing is sent
// any more that would acknowledge them.
void MqttConnection::await(const std::function<bool()>& answered) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kConnect_s);
    while (!answered()) {
        if (state_->give_up() || std::chrono::steady_clock::now() > end) throw SystemError("no answer of a broker");
        if (state_->handed_over == 0) acknowledge();
        receive(kLook_ms / 1000.0);
    }
}

void MqttConnection::receive(double wait_s, int wake) {
    State& state = *state_;
    mosquitto* client = state.client.get();
    pollfd sockets[2] = {{mosquitto_socket(client), POLLIN, 0}, {wake, POLLIN, 0}};
    ::poll(sockets, wake < 0 ? 1 : 2, static_cast<int>(std::ceil(1000 * wait_s)));
    // TLS may hold what poll does not see: read until nothing comes. Every call reads a packet at most.
    const int64_t begin = state.handed_over;
    state.bytes = 0;
    for (int64_t before = -1;
         before != state.handed_over && state.handed_over - begin < kUnacknowledged && state.bytes < kBytesAtOnce;) {
        before = state.handed_over;
        state.expect(mosquitto_loop_read(client, 1), "the connection to the broker is lost");
    }
    state.expect(mosquitto_loop_misc(client), "the connection to the broker is lost");
    if (state.failure) std::rethrow_exception(std::exchange(state.failure, nullptr));
}

void MqttConnection::acknowledge() {
    mosquitto* client = state_->client.get();
    while (mosquitto_want_write(client)) {
        pollfd socket{mosquitto_socket(client), POLLOUT, 0};
        if (::poll(&socket, 1, static_cast<int>(1000 * kConnect_s)) == 0)
            throw SystemError("the broker does not read what we send");
        state_->expect(mosquitto_loop_write(client, 1), "the connection to the broker is lost");
    }
}

void MqttConnection::publish(const std::string& topic, std::string_view payload, bool retained, Answered answered) {
    int number = 0;
    check(mosquitto_publish_v5(state_->client.get(), &number, topic.c_str(), static_cast<int>(payload.size()),
                               payload.data(), 1, retained, nullptr),
          "cannot publish");
    state_->unanswered[number] = std::move(answered);
}

bool MqttConnection::had_session() const { return state_->had_session; }

void MqttConnection::close() {
    if (!state_->presence_topic.empty()) publish(state_->presence_topic, kOffline, true);
    check(mosquitto_disconnect_v5(state_->client.get(), 0, nullptr), "cannot say goodbye");
    acknowledge();
}

}  // namespace cmr::live
