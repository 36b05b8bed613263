// Messages to receivers that are there, go away, and come back.
#include "live/teller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>
#include <mutex>

#include "io/json_fields.h"
#include "live/broker.h"
#include "live/notifiers/alert.h"
#include "live/notifiers/table.h"
#include "live/watched_plant.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;

// A receiver on a port of its own; what it answers can be changed.
class Receiver {
  public:
    explicit Receiver(int port) {
        server_.Post("/hook", [this](const httplib::Request& request, httplib::Response& response) {
            const std::lock_guard lock(mutex_);
            response.status = status;
            if (status == 200) bodies_.push_back(io::Json::parse(request.body));
            authorization = request.get_header_value("Authorization");
        });
        server_.bind_to_port("127.0.0.1", port);
        thread_ = std::thread([this] { server_.listen_after_bind(); });
        while (!server_.is_running()) rest();
    }
    ~Receiver() {
        server_.stop();
        thread_.join();
    }
    std::vector<io::Json> bodies() {
        const std::lock_guard lock(mutex_);
        return bodies_;
    }
    std::atomic<int> status = 200;
    std::string authorization;

  private:
    std::mutex mutex_;
    std::vector<io::Json> bodies_;
    httplib::Server server_;
    std::thread thread_;
};

Entry step(int64_t number, Event event, State to, double event_s) {
    Entry entry;
    entry.asset = "pump";
    entry.step = {number, event, State::kNormal, to, true};
    entry.event_s = event_s;
    entry.wall_s = 1.8e9;
    entry.raised_s = 1.75e9;
    entry.level = 1.5;
    entry.sentence = "the inlet does not follow";
    return entry;
}

struct Outbox {
    TestFolder folder;
    TestClock clock;
    std::string address = "sqlite:" + (folder.path() / "ledger.db").string();
    int port = free_port();
    Ledger ledger{{address, ""}};

    NotifierSettings settings(const std::string& kind) {
        std::ofstream(folder.path() / "token") << "s3cret\n";
        fs::permissions(folder.path() / "token", fs::perms(0600));
        NotifierSettings out;
        out.name = "hook";
        out.kind = kind;
        out.address = "http://127.0.0.1:" + std::to_string(port) + (kind == "webhook" ? "/hook" : "");
        out.token_file = folder.path() / "token";
        return out;
    }
    NotifierContext context() {
        NotifierContext out;
        out.plant = "plant";
        out.link = "http://127.0.0.1:8470/";
        out.clock = &clock;
        return out;
    }
    std::unique_ptr<Teller> teller(const std::string& kind) {
        return std::make_unique<Teller>("hook", make_notifier(settings(kind), context()),
                                        std::make_unique<Ledger>(DatabaseAddress{address, ""}), clock);
    }
    void record(const Entry& entry) { ledger.record(std::vector{entry}, {}, std::vector<std::string>{"hook"}); }
};

TEST(Webhook, HasTheShapeOfAlertmanagers) {
    Outbox setup;
    Receiver receiver(setup.port);
    setup.record(step(1, Event::kRaise, State::kUnacknowledged, 1.75e9));
    Entry clear = step(2, Event::kClear, State::kReturned, 1.75e9 + 60);
    setup.record(clear);
    const auto teller = setup.teller("webhook");
    ASSERT_TRUE(soon([&] { return receiver.bodies().size() == 2; }));
    const io::Json firing = receiver.bodies()[0], resolved = receiver.bodies()[1];
    EXPECT_EQ(receiver.authorization, "Bearer s3cret");
    EXPECT_EQ(firing["version"], "4");
    EXPECT_EQ(firing["status"], "firing");
    EXPECT_EQ(firing["receiver"], "hook");
    EXPECT_EQ(firing["commonLabels"]["asset"], "pump");
    EXPECT_EQ(firing["alerts"][0]["startsAt"], "2025-06-15T15:06:40.000Z");
    EXPECT_EQ(firing["alerts"][0]["annotations"]["summary"], "pump: alarm, level 1.50");
    EXPECT_EQ(firing["alerts"][0]["annotations"]["description"], "the inlet does not follow");
    EXPECT_EQ(resolved["status"], "resolved");
    EXPECT_EQ(resolved["alerts"][0]["fingerprint"], firing["alerts"][0]["fingerprint"]) << "the same episode";
}

TEST(Teller, DeliversEachStepOnceInOrderAfterAnHourWithoutAReceiver) {
    Outbox setup;
    auto teller = setup.teller("webhook");
    for (int i = 1; i <= 6; ++i) {
        setup.record(step(i, i % 2 ? Event::kRaise : Event::kClear, i % 2 ? State::kUnacknowledged : State::kReturned,
                          1.75e9 + i));
        teller->wake();
        setup.clock.pass(600);
        rest();
    }
    ASSERT_TRUE(soon([&] { return teller->status().failed > 0; }));
    EXPECT_FALSE(teller->status().reached);
    EXPECT_EQ(setup.ledger.waiting("hook"), 6);
    teller.reset();  // a restart in between loses nothing
    teller = setup.teller("webhook");
    Receiver receiver(setup.port);
    ASSERT_TRUE(soon([&] {
        setup.clock.pass(60);
        return receiver.bodies().size() >= 6;
    }));
    std::vector<std::string> steps;
    for (const io::Json& body : receiver.bodies()) steps.push_back(body["alerts"][0]["annotations"]["step"]);
    EXPECT_THAT(steps, ElementsAre("1", "2", "3", "4", "5", "6"));
    ASSERT_TRUE(soon([&] { return setup.ledger.waiting("hook") == 0; }));
    EXPECT_TRUE(teller->status().reached);
}

TEST(Teller, WaitsForAReceiverThatIsNotReadyAndGoesPastAMessageThatItRefuses) {
    Outbox setup;
    Receiver receiver(setup.port);
    receiver.status = 503;
    setup.record(step(1, Event::kRaise, State::kUnacknowledged, 1.75e9));
    const auto teller = setup.teller("webhook");
    ASSERT_TRUE(soon([&] { return teller->status().failed > 0; }));
    EXPECT_EQ(setup.ledger.waiting("hook"), 1);
    receiver.status = 400;
    ASSERT_TRUE(soon([&] {
        setup.clock.pass(60);
        return teller->status().refused == 1;
    }));
    receiver.status = 200;
    setup.record(step(2, Event::kClear, State::kReturned, 1.75e9));
    teller->wake();
    ASSERT_TRUE(soon([&] {
        setup.clock.pass(60);
        return receiver.bodies().size() == 1;
    }));
}

TEST(Alertmanager, HasTheAlarmUntilItIsOver) {
    const auto program = find_program("prometheus-alertmanager");
    if (!program) GTEST_SKIP() << "Alertmanager is not installed";
    Outbox setup;
    std::ofstream(setup.folder.path() / "alertmanager.yml")
        << "route:\n  receiver: nobody\nreceivers:\n- name: nobody\n";
    const auto start = [&] {
        return std::make_unique<Child>(
            std::vector<std::string>{*program, "--config.file=" + (setup.folder.path() / "alertmanager.yml").string(),
                                     "--storage.path=" + setup.folder.path().string(), "--cluster.listen-address=",
                                     "--web.listen-address=127.0.0.1:" + std::to_string(setup.port)},
            setup.folder.path() / "log");
    };
    auto manager = start();
    httplib::Client client("127.0.0.1", setup.port);
    const auto alerts = [&]() -> io::Json {
        const auto answer = client.Get("/api/v2/alerts?active=true");
        return answer && answer->status == 200 ? io::Json::parse(answer->body) : io::Json();
    };
    ASSERT_TRUE(soon([&] { return alerts().is_array(); }));

    Alarm on;
    on.state = State::kUnacknowledged;
    on.steps = 1;
    setup.clock.wall = system_clock().wall_s();  // Alertmanager has a clock of its own
    Entry raise = step(1, Event::kRaise, State::kUnacknowledged, setup.clock.wall - 30);
    raise.raised_s = raise.event_s;
    raise.wall_s = setup.clock.wall;
    setup.ledger.record(std::vector{raise}, std::vector{AssetRow{"pump", on, {}}}, std::vector<std::string>{"hook"});
    const auto teller = setup.teller("alertmanager");
    ASSERT_TRUE(soon([&] { return alerts().size() == 1; }));
    EXPECT_EQ(alerts()[0]["labels"]["asset"], "pump");
    EXPECT_EQ(alerts()[0]["annotations"]["description"], "the inlet does not follow");

    manager.reset();  // it forgets everything, and is told again
    manager = start();
    ASSERT_TRUE(soon([&] {
        setup.clock.steady = setup.clock.steady + 5;
        return alerts().size() == 1;
    }));

    Entry clear = step(2, Event::kClear, State::kNormal, setup.clock.wall);
    clear.raised_s = raise.raised_s;
    clear.wall_s = setup.clock.wall;
    setup.ledger.record(std::vector{clear}, std::vector{AssetRow{"pump", Alarm{}, {}}},
                        std::vector<std::string>{"hook"});
    teller->wake();
    EXPECT_TRUE(soon([&] { return alerts().empty(); }));
}

TEST(Mqtt, KeepsTheLastStepOnTheBrokerAndTakesAnAcknowledgement) {
    test::Broker broker;
    NotifierSettings settings;
    settings.name = "hook";
    settings.kind = "mqtt";
    settings.address = broker.address();
    settings.timeout_s = 2;
    std::mutex mutex;
    std::vector<std::string> done;
    NotifierContext context;
    context.act = [&](const Action& action) {
        const std::lock_guard lock(mutex);
        done.push_back(action.asset + " " + std::string(name(action.event)) + " " + action.who);
    };
    Outbox setup;
    setup.record(step(1, Event::kRaise, State::kUnacknowledged, 1.75e9));
    setup.record(step(2, Event::kClear, State::kReturned, 1.75e9 + 60));
    const Teller teller("hook", make_notifier(settings, context),
                        std::make_unique<Ledger>(DatabaseAddress{setup.address, ""}));
    ASSERT_TRUE(soon([&] { return teller.status().failed > 0; })) << "there is no broker yet";
    broker.start();
    ASSERT_TRUE(soon([&] { return setup.ledger.waiting("hook") == 0; }, 60));
    const io::Json kept = io::Json::parse(broker.first_message("cmr/pump/alarm"));
    EXPECT_EQ(kept["state"], "returned");
    EXPECT_EQ(kept["step"]["number"], 2);
    broker.publish("-t cmr/pump/act -m nonsense");
    broker.publish(R"(-t cmr/pump/act -m '{"event": "acknowledge", "who": "Ada"}')");
    EXPECT_TRUE(soon([&] {
        const std::lock_guard lock(mutex);
        return done == std::vector<std::string>{"pump acknowledge Ada"};
    }));
}

TEST(Alert, BeginsBeforeItEndsEvenIfTheDataAreAheadOfTheClock) {
    Entry clear = step(2, Event::kClear, State::kNormal, 1.9e9);
    clear.raised_s = 1.85e9;
    const Alert alert = alert_of(clear, {});
    EXPECT_EQ(alert.starts_at, alert.ends_at);
    EXPECT_EQ(rfc3339(0.9999), "1970-01-01T00:00:00.999Z");
    EXPECT_EQ(rfc3339(-0.5), "1969-12-31T23:59:59.500Z");
}

}  // namespace
}  // namespace cmr::live
