#pragma once
// What we say on a broker: messages that stay until the next (retained), each confirmed by the broker; and topics on
// which others speak to us. Keeps one connection in a thread of its own, and makes a new one when it breaks.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "live/mqtt/connection.h"
#include "live/worker.h"

namespace cmr::live {

class MqttPublisher {
  public:
    // `receive` is called from the publisher's thread with what comes on the filters of the settings; such a message is
    // acknowledged after it returns, and again delivered where it throws a SystemError.
    MqttPublisher(
        MqttSettings settings, MqttConnection::Receive receive = [](std::string_view, std::string_view) {});
    ~MqttPublisher();
    MqttPublisher(const MqttPublisher&) = delete;
    MqttPublisher& operator=(const MqttPublisher&) = delete;

    // Returns when the broker has it. SystemError where it did not confirm within so long, or is away; it may have it
    // all the same. InputError where it does not allow it.
    void publish(const std::string& topic, const std::string& payload, bool retained, double timeout_s);

    // From another thread: who waits for the broker waits no more.
    void give_up() { giving_up_ = true; }

    // In words: "connected", or why not.
    std::string status() const;

  private:
    struct Outbox;
    void run();
    void serve(MqttConnection& connection);

    MqttSettings settings_;
    std::atomic<bool> giving_up_ = false;
    MqttConnection::Receive receive_;
    std::unique_ptr<Outbox> outbox_;
    Worker worker_;  // last: it uses all of the above
};

}  // namespace cmr::live
