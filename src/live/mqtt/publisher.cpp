#include "live/mqtt/publisher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>

#include "base/error.h"
#include "io/file.h"

namespace cmr::live {
namespace {

constexpr double kWait_s = 0.2;
constexpr auto kLook = std::chrono::milliseconds(50);        // how often we look whether to give up
constexpr double kFirstPause_s = 0.2, kLongestPause_s = 30;  // before a new connection; doubled each time

struct Message {
    std::string topic, payload;
    bool retained = false;
    std::promise<void> confirmed;
};

}  // namespace

// What other threads have handed over, and how the connection is.
struct MqttPublisher::Outbox {
    std::mutex mutex;
    std::deque<std::shared_ptr<Message>> messages;
    std::string status = "not connected yet";
    io::Descriptor event{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};  // wakes a thread that waits for the broker

    void ring() const {
        const uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(event.number(), &one, sizeof one);
    }
    void hush() const {
        uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(event.number(), &count, sizeof count);
    }
    void set_status(const std::string& text) {
        const std::lock_guard lock(mutex);
        status = text;
    }
};

MqttPublisher::MqttPublisher(MqttSettings settings, MqttConnection::Receive receive)
    : settings_(std::move(settings)), receive_(std::move(receive)), outbox_(std::make_unique<Outbox>()) {
    check_mqtt_address(settings_.address);
    worker_.start("cmr-publish", [this] { run(); });
}

MqttPublisher::~MqttPublisher() {
    worker_.ask_to_stop();
    outbox_->ring();
    worker_.stop();
}

void MqttPublisher::publish(const std::string& topic, const std::string& payload, bool retained, double timeout_s) {
    auto message = std::make_shared<Message>(Message{topic, payload, retained, {}});
    std::future<void> confirmed = message->confirmed.get_future();
    {
        const std::lock_guard lock(outbox_->mutex);
        outbox_->messages.push_back(message);
    }
    outbox_->ring();
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
    while (!giving_up_ && std::chrono::steady_clock::now() < end)
        if (confirmed.wait_for(kLook) == std::future_status::ready) return confirmed.get();
    const std::lock_guard lock(outbox_->mutex);
    std::erase(outbox_->messages, message);
    throw SystemError("{}: not confirmed within {} s: {}", settings_.address, timeout_s, outbox_->status);
}

std::string MqttPublisher::status() const {
    const std::lock_guard lock(outbox_->mutex);
    return outbox_->status;
}

void MqttPublisher::run() {
    double pause_s = kFirstPause_s;
    while (!worker_.stopping()) {
        try {
            MqttConnection connection(settings_, receive_, [this] { return worker_.stopping(); });
            outbox_->set_status("connected");
            while (!worker_.stopping()) {
                serve(connection);
                pause_s = kFirstPause_s;
            }
            connection.close();
        } catch (const std::exception& error) {
            outbox_->set_status(error.what());
            if (worker_.wait(pause_s)) return;
            pause_s = std::min(2 * pause_s, kLongestPause_s);
        }
    }
}

void MqttPublisher::serve(MqttConnection& connection) {
    std::deque<std::shared_ptr<Message>> messages;
    {
        const std::lock_guard lock(outbox_->mutex);
        messages.swap(outbox_->messages);
    }
    for (const auto& message : messages)
        connection.publish(
            message->topic, message->payload, message->retained, [message](const std::optional<std::string>& refusal) {
                if (!refusal) return message->confirmed.set_value();
                message->confirmed.set_exception(
                    std::make_exception_ptr(InputError("the broker refused '{}': {}", message->topic, *refusal)));
            });
    connection.acknowledge();
    connection.receive(kWait_s, outbox_->event.number());
    outbox_->hush();
    connection.acknowledge();
}

}  // namespace cmr::live
