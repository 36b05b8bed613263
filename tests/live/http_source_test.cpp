#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "live/collected.h"
#include "live/free_port.h"
#include "live/sources/table.h"
#include "support/background.h"
#include "support/expect_input_error.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SetClock : public Clock {
  public:
    double wall_s() const override { return 500; }
    double steady_s() const override { return now; }
    std::atomic<double> now = 0;
};

class HttpSource : public testing::Test {
  protected:
    HttpSource() {
        settings.name = "port";
        settings.kind = "http";
        port = test::free_port();
        settings.address = fmt::format("127.0.0.1:{}", port);
        settings.token_file = (folder / "tokens").string();
        std::ofstream(settings.token_file) << "first-token\nsecond-token\n";
        std::filesystem::permissions(settings.token_file, std::filesystem::perms::owner_read);
        settings.max_message = 10'000;
        context.folder = folder.path();
        context.place = "plant.toml:3";
        context.clock = &clock;
    }
    void start() {
        source = make_source(settings, context);
        source->start(sink);
    }
    // The status and what came with it.
    std::string curl(const std::string& words, const std::string& path = "/api/v2/write?precision=s",
                     const std::string& scheme = "http") const {
        return test::run_command(fmt::format("cd '{}' && curl -s -k -m 20 -w '%{{http_code}}' {} '{}://{}{}'",
                                             folder.path().string(), words, scheme, settings.address, path))
            .output;
    }
    static constexpr const char* kToken = "-H 'Authorization: Token second-token' ";

    test::TemporaryFolder folder;
    int port = 0;
    SourceSettings settings;
    SourceContext context;
    SetClock clock;
    test::Collected sink;
    std::unique_ptr<Source> source;
};

TEST_F(HttpSource, LineProtocolIsTakenAsInfluxTakesIt) {
    start();
    EXPECT_EQ(curl(kToken + std::string("-d 'm,asset=a x=1 10'")), "204");
    EXPECT_EQ(curl(kToken + std::string("-d 'm,asset=a x=2 2000000000'"), "/api/v2/write?org=o&bucket=b"), "204");
    EXPECT_EQ(curl("-u someone:first-token -d 'm,asset=a x=3 30000'", "/write?db=d&precision=ms"), "204");
    EXPECT_EQ(curl("-H 'Authorization: Bearer first-token' -d 'm,asset=a x=4 40000000000'", "/write?precision=n"),
              "204");
    EXPECT_THAT(sink.readings(), ElementsAre(Reading{"a", "x", 10, 1}, Reading{"a", "x", 2, 2},
                                             Reading{"a", "x", 30, 3}, Reading{"a", "x", 40, 4}));
    EXPECT_EQ(source->status().received, 4);
}

TEST_F(HttpSource, PackedBodiesAreUnpacked) {
    start();
    std::ofstream(folder / "lines") << "m,asset=a x=1 10\nm,asset=a x=2 20\n";
    test::run_command("gzip -k '" + (folder / "lines").string() + "'");
    EXPECT_EQ(curl(kToken + std::string("-H 'Content-Encoding: gzip' --data-binary @lines.gz")), "204");
    EXPECT_EQ(sink.size(), 2u);
}

TEST_F(HttpSource, JsonRowsAreTaken) {
    start();
    EXPECT_EQ(
        curl(kToken + std::string(R"(-d '[{"time": 5, "asset": "a", "x": 1}, {"time": 6, "asset": "a", "x": 2}]')"),
             "/api/rows"),
        "204");
    EXPECT_THAT(sink.readings(), ElementsAre(Reading{"a", "x", 5, 1}, Reading{"a", "x", 6, 2}));
    EXPECT_THAT(curl(kToken + std::string("-d '{\"time\": 5,'"), "/api/rows"), HasSubstr("not JSON"));
}

TEST_F(HttpSource, WhoHasNoTokenWritesNothing) {
    start();
    for (const char* words :
         {"", "-H 'Authorization: Token third-token'", "-H 'Authorization: Token '",
          "-H 'Authorization: Token first-token-and-more'", "-u first-token:x", "-H 'Authorization: first-token'"}) {
        const std::string answer = curl(std::string(words) + " -d 'm,asset=a x=1 10'");
        EXPECT_THAT(answer, HasSubstr("401")) << words;
        EXPECT_THAT(answer, HasSubstr("unauthorized")) << words;
        EXPECT_THAT(answer, testing::Not(HasSubstr("first-token"))) << words;
    }
    EXPECT_EQ(sink.size(), 0u);
}

TEST_F(HttpSource, WhatCannotBeReadIsToldAndTheRestTaken) {
    start();
    const std::string answer =
        curl(kToken + std::string("-d $'m,asset=a x=1 10\nm,asset=a x=one 20\nm,asset=a x=3 30'"));
    EXPECT_THAT(answer, HasSubstr("400"));
    EXPECT_THAT(answer, HasSubstr("partial write: 1 of the lines"));
    EXPECT_THAT(answer, HasSubstr("line 2, letter 13: found 'one 20', expected a number"));
    EXPECT_EQ(sink.size(), 2u);
    EXPECT_EQ(source->status().refused, 1);
    EXPECT_THAT(curl(kToken + std::string("-d 'm,asset=a x=1 10'"), "/write?precision=m"), HasSubstr("'m', expected"));
    EXPECT_THAT(curl(kToken + std::string("-H 'Content-Encoding: gzip' -d 'not gzip at all'")), HasSubstr("400"));
}

TEST_F(HttpSource, WhatIsTooLargeIsRefusedUnpackedOrNot) {
    start();
    std::ofstream(folder / "large") << std::string(20'000, '#');
    EXPECT_THAT(curl(kToken + std::string("--data-binary @large")), HasSubstr("413"));
    EXPECT_THAT(curl(kToken + std::string("-H 'Transfer-Encoding: chunked' --data-binary @large")), HasSubstr("413"));
    std::ofstream(folder / "bomb") << std::string(50'000'000, '#');
    test::run_command("gzip '" + (folder / "bomb").string() + "'");
    std::filesystem::resize_file(folder / "bomb.gz", std::filesystem::file_size(folder / "bomb.gz"));
    settings.max_message = 100'000;  // the packed bomb passes
    source->stop();
    start();
    EXPECT_THAT(curl(kToken + std::string("-H 'Content-Encoding: gzip' --data-binary @bomb.gz")), HasSubstr("413"));
    EXPECT_EQ(curl(kToken + std::string("-d 'm,asset=a x=1 10'")), "204");
}

TEST_F(HttpSource, AFullDiskMeansLater) {
    start();
    sink.fail(true);
    const std::string answer = curl(kToken + std::string("-i -d 'm,asset=a x=1 10'"));
    EXPECT_THAT(answer, HasSubstr("503"));
    EXPECT_THAT(answer, HasSubstr("Retry-After: 5"));
    EXPECT_THAT(answer, HasSubstr("no space left"));
    sink.fail(false);
    EXPECT_EQ(curl(kToken + std::string("-d 'm,asset=a x=1 10'")), "204");
    EXPECT_EQ(sink.size(), 1u);
}

// Writes to the port what a client would, and tells what came back.
class RawClient {
  public:
    explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    ~RawClient() { ::close(socket_); }
    void send(const std::string& text) const { EXPECT_GT(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), 0); }
    std::string answer() const {
        char bytes[4096];
        const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
        return {bytes, static_cast<size_t>(std::max<ssize_t>(got, 0))};
    }

  private:
    int socket_;
};

TEST_F(HttpSource, ASlowClientIsLetGoAndHindersNobody) {
    start();
    std::vector<std::unique_ptr<RawClient>> slow;
    for (int i = 0; i < 20; ++i) {
        slow.push_back(std::make_unique<RawClient>(port));
        slow.back()->send(
            "POST /write HTTP/1.1\r\nHost: x\r\nAuthorization: Token first-token\r\n"
            "Content-Length: 100\r\n\r\nm,asset=a ");
    }
    EXPECT_EQ(curl(kToken + std::string("-d 'm,asset=a x=1 10'")), "204");
    clock.now = 11;
    for (const auto& client : slow) client->send("x");
    EXPECT_THAT(slow.front()->answer(), HasSubstr("408"));
    EXPECT_EQ(sink.size(), 1u);
}

TEST_F(HttpSource, TlsIsSpokenWithACertificate) {
    ASSERT_EQ(test::run_command(fmt::format("cd '{}' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out "
                                            "cert.pem -days 2 -subj /CN=localhost 2>&1",
                                            folder.path().string()))
                  .exit_code,
              0);
    settings.certificate_file = (folder / "cert.pem").string();
    test::expect_input_error([&] { make_source(settings, context); }, {"plant.toml:3", "expected both or none"});
    settings.key_file = (folder / "key.pem").string();
    start();
    EXPECT_EQ(curl(kToken + std::string("-d 'm,asset=a x=1 10'"), "/api/v2/write?precision=s", "https"), "204");
    EXPECT_EQ(sink.size(), 1u);
}

TEST_F(HttpSource, ImpossibleSettingsAreRefused) {
    start();
    const auto second = make_source(settings, context);
    test::expect_input_error([&] { second->start(sink); }, {"plant.toml:3", "cannot listen", "is the port taken?"});
    settings.token_file.clear();
    test::expect_input_error([&] { make_source(settings, context); }, {"plant.toml:3", "needs 'token_file'"});
    settings.token_file = (folder / "tokens").string();
    settings.address = "somewhere";
    test::expect_input_error([&] { make_source(settings, context); }, {"'somewhere'", "expected host:port"});
}

}  // namespace
}  // namespace cmr::live
