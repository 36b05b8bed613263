#include "live/mqtt/publisher.h"

#include <mutex>

#include "live/broker.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

MqttSettings settings_for(const test::Broker& broker) {
    MqttSettings settings;
    settings.address = broker.address();
    settings.client_id = "cmr-alarms";
    settings.session_s = 60;
    return settings;
}

TEST(MqttPublisher, WhatIsPublishedStaysForThoseWhoComeLater) {
    test::Broker broker;
    broker.start();
    MqttPublisher publisher(settings_for(broker));
    publisher.publish("cmr/alarms/pump", "{\"alarm\": true}", /*retained=*/true, 10);
    EXPECT_EQ(broker.first_message("cmr/alarms/pump"), "{\"alarm\": true}\n");
}

TEST(MqttPublisher, ABrokerThatIsAwayIsToldAndFoundWhenItIsBack) {
    test::Broker broker;
    MqttPublisher publisher(settings_for(broker));
    test::expect_system_error([&] { publisher.publish("t", "1", true, 0.3); }, {"not confirmed within 0.3 s"});
    broker.start();
    publisher.publish("t", "2", true, 30);
    EXPECT_EQ(broker.first_message("t"), "2\n");
    broker.stop();
    test::expect_system_error([&] { publisher.publish("t", "3", true, 0.3); }, {"not confirmed"});
    broker.start();
    publisher.publish("t", "4", true, 30);
    EXPECT_EQ(broker.first_message("t"), "4\n");
}

TEST(MqttPublisher, OthersCanSpeakToUs) {
    test::Broker broker;
    broker.start();
    MqttSettings settings = settings_for(broker);
    settings.filters = {"cmr/acknowledge/+"};
    std::mutex mutex;
    std::vector<std::string> heard;
    MqttPublisher publisher(settings, [&](std::string_view topic, std::string_view payload) {
        const std::lock_guard lock(mutex);
        if (heard.empty()) {
            heard.emplace_back("not now");
            throw SystemError("no space left on device");  // so it comes again
        }
        heard.push_back(fmt::format("{} {}", topic, payload));
    });
    ASSERT_TRUE(test::wait_until([&] { return publisher.status() == "connected"; }));
    broker.publish("-t cmr/acknowledge/pump -m anna");
    EXPECT_TRUE(test::wait_until([&] {
        const std::lock_guard lock(mutex);
        return heard == std::vector<std::string>{"not now", "cmr/acknowledge/pump anna"};
    }));
}

TEST(MqttPublisher, ATopicThatTheBrokerDoesNotAllowIsTold) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "rights") << "topic read #\ntopic write allowed\n";
    test::Broker broker("acl_file " + (folder / "rights").string() + "\n");
    broker.start();
    MqttPublisher publisher(settings_for(broker));
    publisher.publish("allowed", "1", false, 10);
    test::expect_input_error([&] { publisher.publish("forbidden", "1", false, 10); }, {"'forbidden'", "authorized"});
}

}  // namespace
}  // namespace cmr::live
