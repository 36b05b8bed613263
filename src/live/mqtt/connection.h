#pragma once
// One connection to an MQTT 5 broker, from its beginning to its end: when it breaks, a call throws and the owner makes
// a new one. The broker keeps the session in between, so that what was sent meanwhile, or was not acknowledged, comes
// then.
//
// Acknowledgements are held back until acknowledge(): the library would send them as soon as a message is here, before
// anyone has it safe. One thread at a time.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cmr::live {

struct MqttSettings {
    std::string address;  // mqtt://host[:1883] or mqtts://host[:8883]
    std::string client_id;
    std::string user, password;
    std::string ca_file;                     // empty: as the system trusts
    std::string certificate_file, key_file;  // who we are, where the broker asks
    double session_s = 0;                    // for how long it keeps the session without a connection
    std::string presence_topic;              // "online" stands there, retained, and "offline" as our last will
    int64_t max_message = 4 << 20;           // bytes; larger ones are not sent to us
    std::vector<std::string> filters;        // what we want to have, QoS 1
};

// InputError where the address is none.
void check_mqtt_address(const std::string& address);

// Is the topic one of those that the filter (with + and #) means?
bool matches_filter(std::string_view topic, const std::string& filter);

class MqttConnection {
  public:
    using GiveUp = std::function<bool()>;  // asked while a connection is being made
    using Receive = std::function<void(std::string_view topic, std::string_view payload)>;

    // Connects and asks for what the filters name; messages may be handed over already. SystemError where the broker is
    // away, InputError where it refuses us (name, password, certificate).
    MqttConnection(
        const MqttSettings& settings, Receive receive, GiveUp give_up = [] { return false; });
    // Without a word to the broker, as if the line were cut: what is not acknowledged comes again.
    ~MqttConnection();
    MqttConnection(const MqttConnection&) = delete;
    MqttConnection& operator=(const MqttConnection&) = delete;

    // Hands over messages that have come, a bounded number, after waiting for the first up to so long or until `wake`
    // (a descriptor) can be read. SystemError where the connection is lost.
    void receive(double wait_s, int wake = -1);
    // All that was handed over is safe: the broker may forget it. Also sends what was published.
    void acknowledge();

    // QoS 1; `answered` is called from receive(): the broker has it, or says why it does not want it.
    using Answered = std::function<void(const std::optional<std::string>& refusal)>;
    void publish(const std::string& topic, std::string_view payload, bool retained, Answered answered = {});

    // Was there a session of ours? If not, what was sent while we were away is lost.
    bool had_session() const;

    // Says goodbye: presence is "offline" without a will, the session stays.
    void close();

  private:
    void subscribe(const MqttSettings& settings);
    void await(const std::function<bool()>& answered);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace cmr::live
