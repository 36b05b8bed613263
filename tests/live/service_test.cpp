#include "live/service.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "io/file.h"
#include "io/toml/toml.h"
#include "live/metrics.h"
#include "live/watched_plant.h"

namespace cmr::live {
namespace {

using testing::HasSubstr;

const std::string kSource = CMR_SOURCE_DIR;

// What systemd would listen on.
class NotifySocket {
  public:
    explicit NotifySocket(const fs::path& path) : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.string().copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    ~NotifySocket() {
        unsetenv("NOTIFY_SOCKET");
        close(socket_);
    }
    std::string heard() {
        char text[500];
        for (ssize_t size; (size = recv(socket_, text, sizeof text, 0)) > 0;) all_ += std::string(text, size) + "\n";
        return all_;
    }

  private:
    int socket_;
    std::string all_;
};

TEST(Service, TellsTheServiceManagerHowItIs) {
    const TestFolder folder;
    small_plant(folder.path());
    std::ofstream(folder.path() / "plant.toml") << small_plant_text();
    NotifySocket manager(folder.path() / "notify");
    std::vector<std::string> log;
    {
        Service service(read_plant(folder.path() / "plant.toml"),
                        [&](const std::string& line) { log.push_back(line); });
        EXPECT_THAT(manager.heard(), HasSubstr("READY=1"));
        ASSERT_TRUE(soon([&] { return service.engine().status().round_s > 0; }));
        service.beat();
        EXPECT_THAT(manager.heard(), HasSubstr("WATCHDOG=1"));
        std::ofstream(folder.path() / "plant.toml") << small_plant_text("", "\"pump\", \"fan\"");
        service.reload();
        EXPECT_THAT(manager.heard(), HasSubstr("RELOADING=1"));
        EXPECT_EQ(service.engine().views().size(), 2u);
        std::ofstream(folder.path() / "plant.toml") << "[[asset]]\ncolour = 1\n";
        service.reload();
        EXPECT_THAT(log.back(), HasSubstr("plant.toml:2"));
        EXPECT_EQ(service.engine().views().size(), 2u) << "nothing is changed by what cannot be read";
        EXPECT_EQ(fs::status(service.token_file()).permissions(), fs::perms(0600));
        EXPECT_EQ(service.token().size(), 32u);
    }
    EXPECT_THAT(manager.heard(), HasSubstr("STOPPING=1"));
}

// Somebody who connects, says this, and then nothing more.
class Mute {
  public:
    Mute(int port, const std::string& says) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        const sockaddr_in address = loopback(port);
        EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(send(socket_, says.data(), says.size(), 0), static_cast<ssize_t>(says.size()));
    }
    // Or who listens, and never answers.
    explicit Mute(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        const sockaddr_in address = loopback(port);
        EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(socket_, 5), 0);
    }
    ~Mute() { close(socket_); }
    Mute(const Mute&) = delete;
    Mute& operator=(const Mute&) = delete;

  private:
    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    int socket_;
};

TEST(Service, StopsSoonWhoeverHoldsOn) {
    const TestFolder folder;
    const int page = free_port(), writes = free_port(), room = free_port();
    std::ofstream(folder.path() / "tokens") << "right\n";
    fs::permissions(folder.path() / "tokens", fs::perms(0600));
    small_plant(folder.path());
    const Plant plant = parse_plant(
        fmt::format("[[asset]]\nnames = [\"pump\"]\nmodel = \"small.cmr\"\n[web]\naddress = \"127.0.0.1:{}\"\n"
                    "[[source]]\nname = \"telegraf\"\nkind = \"http\"\naddress = \"127.0.0.1:{}\"\n"
                    "token_file = \"tokens\"\n[[notify]]\nname = \"room\"\nkind = \"webhook\"\n"
                    "address = \"http://127.0.0.1:{}/\"\n",
                    page, writes, room),
        folder.path() / "plant.toml");
    const Mute receiver(room);
    auto service = std::make_unique<Service>(plant, [](const std::string&) {});
    const std::string half = "POST /api/v2/write HTTP/1.1\r\nContent-Length: 1000000\r\n";
    const std::string whole = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";  // and keeps the connection
    const Mute slow_reader(page, half), slow_writer(writes, half), browser(page, whole), telegraf(writes, whole);
    service->engine().sink().take(plant_readings("pump", 0, 3000, 1000));
    ASSERT_TRUE(soon([&] {
        const auto tellers = service->engine().status().tellers;
        return tellers.at(0).status.waiting > 0;  // is being sent, which takes ten seconds
    }));
    const auto begin = std::chrono::steady_clock::now();
    service.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(3500));
}

TEST(Service, SaysWhatAPlantTakes) {
    const TestFolder folder;
    const std::string text = plan(small_plant(folder.path(), "", "\"pump-(1..100)\""));
    EXPECT_THAT(text, HasSubstr("100 × small.cmr: 5 channels at 1 Hz"));
    EXPECT_THAT(text, HasSubstr("100 assets, 500 readings per second"));
    EXPECT_THAT(text, HasSubstr("memory: about"));
    EXPECT_THAT(text, HasSubstr("ledger: about"));
}

TEST(Service, HasAUnitThatSystemdUnderstands) {
    const auto analyze = find_program("systemd-analyze");
    if (!analyze) GTEST_SKIP() << "systemd is not installed";
    const TestFolder folder;
    // The program is not installed here: a stand-in for its path.
    std::string unit = io::read_file(kSource + "/packaging/cmr-watch.service");
    unit = std::regex_replace(unit, std::regex("/usr/bin/cmr"), "/bin/true");
    std::ofstream(folder.path() / "cmr-watch.service") << unit;
    EXPECT_EQ(
        run({*analyze, "verify", "--man=no", (folder.path() / "cmr-watch.service").string()}, folder.path() / "log"), 0)
        << io::read_file(folder.path() / "log");
    EXPECT_EQ(
        run({*analyze, "security", "--offline=true", "--threshold=20", (folder.path() / "cmr-watch.service").string()},
            folder.path() / "security"),
        0)
        << io::read_file(folder.path() / "security");
}

// Every key of the settings, by its path.
template <typename T>
void keys(const T& value, std::vector<std::string>& out) {
    visit_fields(value, [&](const char* name, const auto& member, const char*) {
        using Member = std::remove_cvref_t<decltype(member)>;
        out.emplace_back(name);
        if constexpr (kHasFields<const Member>) keys(member, out);
    });
}

TEST(Template, HasEveryKeyAndItsDefault) {
    const TestFolder folder;
    const std::string text = io::read_file(kSource + "/recipes/watch/template.toml");
    std::vector<std::string> all;
    keys(Plant{}, all);
    keys(AssetSettings{}, all);
    keys(NotifierSettings{}, all);
    const SourceSettings source;
    visit_fields(source, [&](const char* name, const auto&, const char*) { all.emplace_back(name); });
    for (const std::string& key : all)
        EXPECT_TRUE(std::regex_search(text, std::regex("(^|\n|\\[|\\.)(# )?\\[*" + key + "(\\]| = )"))) << key;
    const Plant plant = parse_plant(text, folder.path() / "plant.toml"), defaults;
    EXPECT_EQ(plant.rules, defaults.rules);
    EXPECT_EQ(plant.ledger.level_s, defaults.ledger.level_s);
    EXPECT_EQ(plant.ledger.keep_alarms_days, defaults.ledger.keep_alarms_days);
    EXPECT_EQ(plant.storage.queue, defaults.storage.queue);
    EXPECT_EQ(plant.web.address, defaults.web.address);
}

TEST(Metrics, AreAllExplained) {
    const std::string docs = io::read_file(kSource + "/docs/operations.md");
    AssetView view;
    view.name = "a";
    EngineStatus status;
    status.sources.push_back({"s", "file", {}});
    status.tellers.push_back({"n", {}});
    const std::string text = metrics_text(status, {view}, 1e9);
    const std::regex type("# TYPE (\\w+)");
    for (std::sregex_iterator at(text.begin(), text.end(), type), end; at != end; ++at) {
        const std::string name = (*at)[1];
        if (name == "cmr_info" || name == "cmr_uptime_seconds" || name == "cmr_assets" ||
            name == "cmr_unwatched_readings_total")
            continue;
        EXPECT_THAT(docs, HasSubstr("`" + name + "`"));
    }
}

}  // namespace
}  // namespace cmr::live
