#include "live/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
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
    for (std::sregex_iterator at(text.begin(), text.end(), type), end; at != end; ++at)
        if (const std::string name = (*at)[1]; name != "cmr_info" && name != "cmr_uptime_seconds" &&
                                               name != "cmr_assets" && name != "cmr_unwatched_readings_total")
            EXPECT_THAT(docs, HasSubstr("`" + name + "`"));
}

}  // namespace
}  // namespace cmr::live
