// With mosquitto, a broker of others, and its clients.

#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "live/broker.h"
#include "live/collected.h"
#include "live/probe.h"
#include "live/sources/table.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using test::wait_until;
using testing::ElementsAre;
using testing::HasSubstr;

class MqttSource : public testing::Test {
  protected:
    explicit MqttSource(const std::string& more = "") : broker(more) {
        settings.name = "plant";
        settings.kind = "mqtt";
        settings.address = broker.address();
        settings.topics = {"plant/{asset}/rows", "plant/{asset}/values/{channel}"};
        settings.value_field = "v";
        context.folder = folder / "state";
        context.place = "plant.toml:3";
        std::filesystem::create_directories(context.folder);
    }
    void start() {
        source = make_source(settings, context);
        source->start(sink);
    }
    void connect() {
        start();
        ASSERT_TRUE(wait_until([&] { return source->status().connected; })) << source->status().detail;
    }
    bool comes(size_t count) const {
        return wait_until([&] { return sink.size() >= count; });
    }
    void publish_row(int value) const {
        const auto result =
            broker.publish(fmt::format(R"(-t plant/pump/rows -m '{{"time": {}, "A": {}}}')", value, value));
        ASSERT_EQ(result.exit_code, 0) << result.output;
    }

    test::TemporaryFolder folder;
    test::Broker broker;
    SourceSettings settings;
    SourceContext context;
    test::Collected sink;
    std::unique_ptr<Source> source;
};

TEST_F(MqttSource, RowsAndSingleValuesAreRead) {
    broker.start();
    connect();
    broker.publish(R"(-t plant/pump/rows -m '{"time": 1, "A": 10, "B": 20}')");
    broker.publish(R"(-t plant/fan/values/speed -m '{"time": 2, "v": 30}')");
    broker.publish(R"(-t elsewhere/fan/values/speed -m '{"time": 2, "v": 40}')");
    broker.publish(R"(-t plant/pump/rows -m 'no JSON')");
    ASSERT_TRUE(comes(3));
    EXPECT_THAT(sink.readings(),
                ElementsAre(Reading{"pump", "A", 1, 10}, Reading{"pump", "B", 1, 20}, Reading{"fan", "speed", 2, 30}));
    ASSERT_TRUE(wait_until([&] { return source->status().refused == 1; }));
    EXPECT_THAT(source->status().detail, HasSubstr("topic plant/pump/rows: byte"));
}

TEST_F(MqttSource, WhatTheSinkWouldNotTakeComesAgain) {
    broker.start();
    connect();
    sink.fail(true);
    publish_row(1);
    ASSERT_TRUE(wait_until([&] { return sink.failures() >= 2; }));  // the broker sent it again
    EXPECT_THAT(source->status().detail, HasSubstr("no space left"));
    sink.fail(false);
    ASSERT_TRUE(comes(1));
    publish_row(2);
    ASSERT_TRUE(comes(2));
    EXPECT_EQ(sink.values(), (std::map<int, int>{{1, 1}, {2, 1}}));
}

TEST_F(MqttSource, ABrokerThatGoesAndComesBackIsFoundAgainAndHasKeptEverything) {
    start();  // before there is a broker
    ASSERT_TRUE(wait_until([&] { return source->status().detail.find("refused; again in") != std::string::npos; }))
        << source->status().detail;
    broker.start();
    ASSERT_TRUE(wait_until([&] { return source->status().connected; }));
    publish_row(1);
    ASSERT_TRUE(comes(1));
    broker.stop();
    ASSERT_TRUE(wait_until([&] { return !source->status().connected; }));
    broker.start();
    ASSERT_TRUE(wait_until([&] { return source->status().connected; }));
    publish_row(2);
    ASSERT_TRUE(comes(2));
    source->stop();
    publish_row(3);  // while nobody listens
    broker.stop();   // and both are away
    broker.start();
    connect();
    EXPECT_TRUE(wait_until([&] { return sink.values().size() == 3; }));  // each at least once
    EXPECT_THAT(source->status().detail, testing::Not(HasSubstr("a new session")));
}

TEST_F(MqttSource, PresenceIsKnownToOthersEvenAfterAKill) {
    broker.start();
    connect();
    EXPECT_EQ(broker.first_message("cmr/cmr-plant/presence"), "online\n");
    source->stop();
    EXPECT_EQ(broker.first_message("cmr/cmr-plant/presence"), "offline\n");
    test::Probe probe(
        folder, {"kind=mqtt", "name=other", "address=" + settings.address, "topics=[\"t\"]", "presence_topic=here"});
    probe.start();
    ASSERT_TRUE(wait_until([&] { return broker.first_message("here") == "online\n"; }));
    probe.kill();
    ASSERT_TRUE(wait_until([&] { return broker.first_message("here") == "offline\n"; }));
}

// Five hundred messages while the reader is killed twenty times: each must have been taken before it was acknowledged.
TEST_F(MqttSource, KilledAtAnyMomentItLosesNothing) {
    broker.start();
    test::Probe probe(folder,
                      {"kind=mqtt", "name=plant", "address=" + settings.address, "asset=a", "topics=[\"rows\"]"});
    probe.start();
    ASSERT_TRUE(wait_until([&] { return broker.first_message("cmr/cmr-plant/presence") == "online\n"; }));
    constexpr int kMessages = 500;
    std::ofstream lines(folder / "lines");
    for (int i = 0; i < kMessages; ++i) lines << fmt::format("{{\"time\": {}, \"A\": {}}}\n", i, i);
    lines.close();
    test::Background writer("while read -r line; do echo \"$line\"; sleep 0.01; done <'" + (folder / "lines").string() +
                                "' | mosquitto_pub -V 5 -h localhost -q 1 -t rows -l -p " +
                                std::to_string(broker.port()),
                            folder / "writer.log");
    Rng rng(3);
    for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100 + rng.below(200)));
        probe.kill();
        probe.start();
    }
    EXPECT_TRUE(wait_until([&] { return probe.values().size() == kMessages; })) << probe.values().size();
    probe.kill();
}

TEST_F(MqttSource, SparkplugIsReadAndBirthsAreKeptOverARestart) {
    settings.format = "sparkplug";
    settings.topics.clear();
    settings.value_field.clear();
    broker.start();
    connect();
    const auto send = [&](const std::string& topic, const std::string& file) {
        const auto result = broker.publish("-t spBv1.0/ulm/" + topic + " -f '" CMR_SPARKPLUG "/" + file + ".bin'");
        ASSERT_EQ(result.exit_code, 0) << result.output;
    };
    send("NBIRTH/edge", "nbirth");
    send("DBIRTH/edge/press", "dbirth");
    ASSERT_TRUE(comes(8));
    source->stop();
    connect();
    send("DDATA/edge/press", "ddata_alias");  // knows the alias only
    ASSERT_TRUE(comes(10));
    EXPECT_EQ(sink.readings().back(), (Reading{"press", "open", 1767952475, 0}));
    EXPECT_EQ(source->status().refused, 0);
    // An unknown device: its node is asked for its births.
    test::Background listener(
        "mosquitto_sub -V 5 -h localhost -C 1 -W 20 -t spBv1.0/ulm/NCMD/other -p " + std::to_string(broker.port()),
        folder / "command");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    send("DDATA/other/press", "ddata_alias");
    listener.wait();
    std::ifstream command(folder / "command");
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(command), {}), HasSubstr("Node Control/Rebirth"));
}

TEST_F(MqttSource, ImpossibleSettingsAreRefused) {
    settings.topics.clear();
    test::expect_input_error([&] { make_source(settings, context); }, {"plant.toml:3", "needs 'topics'"});
    settings.topics = {"plant/{asset}/#"};
    test::expect_input_error([&] { make_source(settings, context); }, {"both {words} and #"});
    settings.topics = {"plant"};
    settings.address = "localhost:1883";
    test::expect_input_error([&] { make_source(settings, context); }, {"'localhost:1883'", "mqtt://host:1883"});
    settings.address = "mqtt://localhost:99999";
    test::expect_input_error([&] { make_source(settings, context); }, {"mqtt://host:1883"});
    settings.address = broker.address();
    settings.password_variable = "CMR_NO_SUCH_VARIABLE";
    test::expect_input_error([&] { make_source(settings, context); }, {"CMR_NO_SUCH_VARIABLE is not set"});
}

// With TLS and a password.
class SecureMqttSource : public MqttSource {
  protected:
    SecureMqttSource()
        : MqttSource("allow_anonymous false\npassword_file " + keys() + "/users\ncafile " + keys() +
                     "/ca.pem\ncertfile " + keys() + "/cert.pem\nkeyfile " + keys() + "/key.pem\n") {
        settings.address = broker.address("mqtts");
        settings.user = "watcher";
        settings.password_file = keys() + "/password";
        settings.ca_file = keys() + "/ca.pem";
    }
    // Made once: it takes a second.
    static const std::string& keys() {
        static const test::TemporaryFolder folder;
        static const std::string path = [] {
            const auto made = test::run_command("cd '" + folder.path().string() + R"(' && (
                openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority
                openssl req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=localhost
                openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out cert.pem
                mosquitto_passwd -b -c users watcher 'the secret'
                echo 'the secret' >password && chmod 600 password) 2>&1)");
            EXPECT_EQ(made.exit_code, 0) << made.output;
            return folder.path().string();
        }();
        return path;
    }
};

TEST_F(SecureMqttSource, TlsAndPasswordLetUsIn) {
    broker.start();
    connect();
    broker.publish("-u watcher -P 'the secret' --cafile '" + keys() +
                   R"(/ca.pem' -t plant/pump/rows -m '{"time": 1, "A": 10}')");
    ASSERT_TRUE(comes(1));
}

TEST_F(SecureMqttSource, AWrongPasswordOrAnUnknownAuthorityIsToldWithoutSecrets) {
    broker.start();
    std::ofstream(folder / "wrong") << "another secret\n";
    std::filesystem::permissions(folder / "wrong", std::filesystem::perms::owner_read);
    settings.password_file = (folder / "wrong").string();
    start();
    ASSERT_TRUE(wait_until([&] { return source->status().detail.find("refused us") != std::string::npos; }))
        << source->status().detail;
    EXPECT_THAT(source->status().detail, testing::Not(HasSubstr("secret")));
    source->stop();
    settings.password_file = keys() + "/password";
    settings.ca_file.clear();  // those that the system trusts: ours is not among them
    start();
    ASSERT_TRUE(wait_until([&] { return !source->status().detail.empty(); }));
    EXPECT_FALSE(source->status().connected);
}

}  // namespace
}  // namespace cmr::live
