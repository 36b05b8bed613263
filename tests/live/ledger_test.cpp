// The same suite on SQLite and on PostgreSQL.
#include "live/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "live/partner.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;

// A PostgreSQL server in a folder of its own, on a socket there.
class Server {
  public:
    static Server* get() {
        static const std::unique_ptr<Server> server = start();
        return server.get();
    }
    ~Server() { stop(); }

    std::string address(const std::string& database = "postgres") const {
        return "postgresql:///" + database + "?user=postgres&host=" + folder_.path().string();
    }
    void go() {
        child_ = std::make_unique<Child>(
            std::vector<std::string>{*find("postgres"), "-D", (folder_.path() / "data").string(), "-k",
                                     folder_.path().string(), "-c", "listen_addresses=", "-c", "fsync=off"},
            folder_.path() / "log", user());
        if (!soon([&] { return run({*find("psql"), address(), "-c", "SELECT 1"}, folder_.path() / "log") == 0; }))
            throw std::runtime_error("PostgreSQL does not start");
    }
    void stop() {
        if (child_) child_->end(SIGINT);
        child_.reset();
    }
    std::string make_database() {
        const std::string name = "ledger" + std::to_string(++databases_);
        if (run({*find("psql"), address(), "-c", "CREATE DATABASE " + name}, folder_.path() / "log") != 0)
            throw std::runtime_error("no database");
        return address(name);
    }

  private:
    static std::optional<std::string> find(const std::string& name) {
        return find_program(name, {"/usr/lib/postgresql/15/bin"});
    }
    static std::string user() { return geteuid() == 0 ? "postgres" : ""; }  // it refuses to run as root
    static std::unique_ptr<Server> start() {
        if (!find("postgres") || !find("initdb") || !find("psql")) return nullptr;
        auto server = std::make_unique<Server>();
        if (run({*find("initdb"), "-D", (server->folder_.path() / "data").string(), "-U", "postgres", "-A", "trust"},
                server->folder_.path() / "log", user()) != 0)
            return nullptr;
        server->go();
        return server;
    }

    TestFolder folder_;
    std::unique_ptr<Child> child_;
    int databases_ = 0;
};

class LedgerTest : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        if (GetParam() == "sqlite") {
            address_.address = "sqlite:" + (folder_.path() / "ledger.db").string();
        } else {
            if (!Server::get()) GTEST_SKIP() << "PostgreSQL is not installed";
            address_.address = Server::get()->make_database();
        }
    }

    TestFolder folder_;
    DatabaseAddress address_;
};

Entry raise_of(const std::string& asset, int64_t number, double event_s) {
    Entry entry;
    entry.asset = asset;
    entry.step = {number, Event::kRaise, State::kNormal, State::kUnacknowledged, true};
    entry.event_s = event_s;
    entry.wall_s = event_s + 0.125;
    entry.raised_s = event_s - 0.5;
    entry.level = 1.0 / 3;
    entry.p_value = 1e-300;
    entry.verdict = "mechanism broke";
    entry.sentence = "FIT401 does not follow P401 – “since 14:32”; 'quoted' \\ $1";
    entry.evidence = R"({"effects":["FIT401"]})";
    return entry;
}

TEST_P(LedgerTest, KeepsAStepAsItWas) {
    const Entry raise = raise_of("pump 1", 1, 1700000000.123456);
    Entry acknowledge = raise;
    acknowledge.step = {2, Event::kAcknowledge, State::kUnacknowledged, State::kAcknowledged, true};
    acknowledge.who = "Ada";
    acknowledge.why = "looking at it";
    acknowledge.level = acknowledge.p_value = NAN;
    Alarm alarm;
    alarm.steps = 2;
    alarm.state = State::kAcknowledged;
    Ledger(address_).record(std::vector{raise, acknowledge}, std::vector{AssetRow{"pump 1", alarm, {"FIT401"}}}, {});

    Ledger ledger(address_);  // another connection, as after a restart
    const auto entries = ledger.entries({.asset = "pump 1"});
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].step, acknowledge.step) << "the newest first";
    EXPECT_EQ(entries[0].who, "Ada");
    EXPECT_EQ(entries[0].why, "looking at it");
    EXPECT_TRUE(std::isnan(entries[0].level));
    EXPECT_EQ(entries[1].step, raise.step);
    EXPECT_EQ(entries[1].event_s, raise.event_s);
    EXPECT_EQ(entries[1].wall_s, raise.wall_s);
    EXPECT_EQ(entries[1].raised_s, raise.raised_s);
    EXPECT_EQ(entries[1].level, raise.level);
    EXPECT_EQ(entries[1].p_value, raise.p_value);
    EXPECT_EQ(entries[1].sentence, raise.sentence);
    EXPECT_EQ(entries[1].verdict, raise.verdict);
    EXPECT_EQ(entries[1].evidence, raise.evidence);
    EXPECT_EQ(ledger.alarms().at("pump 1"), alarm);
}

TEST_P(LedgerTest, TakesAStepOnceAndTellsOfItOnce) {
    Ledger ledger(address_);
    const std::vector<std::string> notifiers = {"hook", "alertmanager"};
    for (int again = 0; again < 3; ++again) {
        ledger.record(std::vector{raise_of("a", 1, 10)}, {}, notifiers);
        EXPECT_EQ(ledger.entries({}).size(), 1u);
        EXPECT_EQ(ledger.waiting("hook"), again == 0 ? 1 : 0);
        EXPECT_EQ(ledger.waiting("alertmanager"), 1);
        if (again == 0) ledger.delivered(ledger.oldest("hook")->id);
    }
}

TEST_P(LedgerTest, TellsOnlyWhatPeopleAreToHear) {
    Ledger ledger(address_);
    Entry silent = raise_of("a", 1, 10);
    silent.step.told = false;
    ledger.record(std::vector{silent}, {}, std::vector<std::string>{"hook"});
    EXPECT_EQ(ledger.entries({}).size(), 1u);
    EXPECT_FALSE(ledger.oldest("hook"));
}

TEST_P(LedgerTest, HandsMessagesOutInOrderUntilTheyAreDelivered) {
    Ledger ledger(address_);
    for (const int number : {1, 2, 3})
        ledger.record(std::vector{raise_of("a", number, 10 * number)}, {}, std::vector<std::string>{"hook"});
    for (const int number : {1, 2, 3}) {
        EXPECT_EQ(ledger.oldest("hook")->entry.step.number, number);
        const auto message = Ledger(address_).oldest("hook");
        ASSERT_TRUE(message);
        EXPECT_EQ(message->entry.step.number, number) << "not delivered, so it is still there";
        EXPECT_EQ(message->entry.sentence, raise_of("a", 1, 1).sentence);
        ledger.delivered(message->id);
    }
    EXPECT_FALSE(ledger.oldest("hook"));
}

TEST_P(LedgerTest, WritesAllOrNothing) {
    Ledger ledger(address_);
    Entry broken = raise_of("a", 2, 20);
    broken.event_s = NAN;  // NOT NULL
    const auto both = std::vector{raise_of("a", 1, 10), broken};
    if (GetParam() == "sqlite") {
        EXPECT_THROW(ledger.record(both, {}, {}), SystemError);
        EXPECT_TRUE(ledger.entries({}).empty());
    }
    ledger.record(std::vector{raise_of("a", 1, 10)}, {}, {});
    EXPECT_EQ(ledger.entries({}).size(), 1u) << "it goes on after a failure";
}

TEST_P(LedgerTest, FindsEntriesByAssetAndPage) {
    Ledger ledger(address_);
    for (int number = 1; number <= 5; ++number)
        for (const char* asset : {"a", "b"}) ledger.record(std::vector{raise_of(asset, number, number)}, {}, {});
    const auto page = ledger.entries({.asset = "b", .limit = 2});
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].step.number, 5);
    const auto next = ledger.entries({.asset = "b", .before_id = page[1].id, .limit = 2});
    EXPECT_EQ(next.at(0).step.number, 3);
    EXPECT_EQ(ledger.entries({.after_id = page[1].id}).size(), 2u);
    EXPECT_TRUE(ledger.entries({.events = {"clear", "shelve"}}).empty());
    EXPECT_EQ(ledger.entries({.events = {"clear", "raise"}}).size(), 10u);
}

TEST_P(LedgerTest, KeepsLevelsOfEachResolutionAndForgetsOldOnes) {
    Ledger ledger(address_);
    std::vector<AssetLevels> rows;
    for (int minute = 0; minute < 180; ++minute)
        rows.push_back({"a", 60, {60.0 * minute, minute == 7 ? 2.5f : 0.5f, 4, 1, minute == 7, {0.1f, 12.3f, 99}, 3}});
    rows.push_back({"a", 3600, {0, NAN, 0, 240, false, {}}});
    ledger.keep(rows);
    ledger.keep(rows);  // written again after a crash
    auto found = ledger.levels("a", 60, 0, 600);
    ASSERT_EQ(found.size(), 10u);
    EXPECT_EQ(found[7], (Level{420, 2.5f, 4, 1, true, {0.1f, 12.3f, 25.5f}, 3}));
    EXPECT_TRUE(std::isnan(ledger.levels("a", 3600, 0, 1e9).at(0).level));
    EXPECT_TRUE(ledger.levels("b", 60, 0, 1e9).empty());

    ledger.forget({.entries_before_wall_s = 0, .levels_before_s = {{60, 3600}}});
    EXPECT_EQ(ledger.levels("a", 60, 0, 1e9).size(), 120u);
    EXPECT_EQ(ledger.levels("a", 3600, 0, 1e9).size(), 1u) << "another resolution";
}

TEST_P(LedgerTest, TakesALedgerOfTheFirstSchema) {
    const std::vector<AssetLevels> row = {{"a", 60, {0, 0.5f, 4, 1, false, {}, 2}}};
    Ledger(address_).keep(row);
    {
        const auto database = open_database(address_);
        database->run("ALTER TABLE cmr_levels DROP COLUMN outside");
        database->run("UPDATE cmr_about SET about_value = 1 WHERE about_key = 'schema'");
    }
    Ledger ledger(address_);
    EXPECT_EQ(ledger.levels("a", 60, 0, 60).at(0).outside, 0) << "nobody counted then";
    ledger.keep(row);
    EXPECT_EQ(Ledger(address_).levels("a", 60, 0, 60).at(0).outside, 2);
}

TEST_P(LedgerTest, ForgetsOldEntriesButNoneThatIsStillToBeTold) {
    Ledger ledger(address_);
    ledger.record(std::vector{raise_of("a", 1, 10)}, {}, std::vector<std::string>{"hook"});
    ledger.record(std::vector{raise_of("a", 2, 20)}, {}, {});
    ledger.record(std::vector{raise_of("a", 3, 30)}, {}, {});
    ledger.forget({.entries_before_wall_s = 25, .levels_before_s = {}});
    std::vector<int64_t> left;
    for (const Entry& entry : ledger.entries({})) left.push_back(entry.step.number);
    EXPECT_THAT(left, ElementsAre(3, 1));
}

TEST_P(LedgerTest, SaysItsSize) { EXPECT_GT(Ledger(address_).bytes(), 10000); }

INSTANTIATE_TEST_SUITE_P(Databases, LedgerTest, testing::Values("sqlite", "postgres"),
                         [](const auto& database) { return database.param; });

TEST(LedgerOnPostgres, GoesOnWhenTheServerIsBack) {
    if (!Server::get()) GTEST_SKIP() << "PostgreSQL is not installed";
    Ledger ledger({Server::get()->make_database(), ""});
    Server::get()->stop();
    EXPECT_THROW(ledger.record(std::vector{raise_of("a", 1, 10)}, {}, {}), SystemError);
    EXPECT_THROW(ledger.entries({}), SystemError);
    Server::get()->go();
    ledger.record(std::vector{raise_of("a", 1, 10)}, {}, {});
    EXPECT_EQ(ledger.entries({}).size(), 1u);
}

TEST(LedgerAddress, IsRefusedWhereItMeansNothing) {
    EXPECT_THROW(Ledger({"mysql://host/x", ""}), InputError);
    EXPECT_THROW(Ledger({"sqlite:", ""}), InputError);
    EXPECT_THROW(Ledger({"/nowhere/at/all/ledger.db", ""}), InputError);
    EXPECT_THROW(Ledger({"postgresql:///x?host=/nowhere", ""}), SystemError);
}

}  // namespace
}  // namespace cmr::live
