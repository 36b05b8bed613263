#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>

#include "io/file.h"
#include "live/metrics.h"
#include "live/watched_plant.h"
#include "live/web/api.h"
#include "live/web/server.h"
#include "support/expect_input_error.h"

namespace cmr::live {
namespace {

using testing::HasSubstr;
using testing::Not;

const httplib::Headers kToken = {{"Authorization", "Bearer s3cret"}};

// A plant in alarm, and its page.
class Web : public testing::Test {
  protected:
    Web() {
        engine.start();
        const auto readings = plant_readings("pump", 0, 500, 300);
        for (size_t begin = 0; begin < readings.size(); begin += 500)
            engine.sink().take(std::span(readings).subspan(begin, 500));
        EXPECT_TRUE(soon([&] {
            const auto view = engine.view("pump");  // an alarm comes before all is judged
            return view->counts.readings == std::ssize(readings) && view->alarm.on() && view->unrecorded == 0;
        }));
    }
    static WebSettings any_port() {
        WebSettings out;
        out.address = "127.0.0.1:0";
        return out;
    }
    io::Json get(const std::string& path) {
        const auto answer = client.Get(path.c_str());
        EXPECT_TRUE(answer && answer->status == 200) << path << " " << (answer ? answer->body : "");
        return answer ? io::Json::parse(answer->body) : io::Json();
    }

    TestFolder folder;
    Plant plant = small_plant(folder.path());
    Engine engine{plant, [](const std::string&) {}};
    WebServer server{
        engine, any_port(), {"s3cret"}, std::make_unique<Ledger>(DatabaseAddress{plant.ledger.address, ""})};
    httplib::Client client{"127.0.0.1", server.address().port};
};

TEST_F(Web, ShowsAssetsLevelsAndHistory) {
    const io::Json assets = get("/api/assets");
    ASSERT_EQ(assets.size(), 1u);
    EXPECT_EQ(assets[0]["state"], "unacknowledged");
    EXPECT_THAT(assets[0]["sentence"].get<std::string>(), HasSubstr("inlet"));
    const io::Json asset = get("/api/asset?name=pump");
    EXPECT_EQ(asset["effects"].size(), 3u);
    EXPECT_EQ(asset["evidence"]["effects"][0]["name"], "inlet");
    EXPECT_GT(asset["recent"]["time"].size(), 20u);
    const io::Json curve = get("/api/levels?asset=pump&from=1749999000&to=1750001000");
    ASSERT_GT(curve["time"].size(), 5u);
    EXPECT_EQ(curve["residuals"][0].size(), 3u);
    EXPECT_GT(curve["level"].back().get<double>(), 1) << "the minute that is not over is there, too";
    const double inside = curve["time"][3].get<double>() + 20;
    EXPECT_EQ(get(fmt::format("/api/levels?asset=pump&from={}&to={}", inside, inside + 10))["time"].size(), 1u)
        << "a look within a minute sees that minute";
    EXPECT_EQ(curve["first_s"], curve["time"][0]);
    const io::Json entries = get("/api/entries?asset=pump");
    EXPECT_EQ(entries[0]["step"]["event"], "raise");
    EXPECT_TRUE(get("/api/status")["journal"]["safe"].get<bool>());
}

TEST_F(Web, TakesWhatPeopleDoWithATokenOnly) {
    const std::string body = R"({"asset": "pump", "event": "acknowledge", "who": "Ada", "why": "looking"})";
    EXPECT_EQ(client.Post("/api/act", body, "application/json")->status, 401);
    EXPECT_EQ(client.Post("/api/act", {{"Authorization", "Bearer s3cre"}}, body, "application/json")->status, 401);
    EXPECT_EQ(client.Post("/api/act", {{"Authorization", "Bearer s3creX"}}, body, "application/json")->status, 401);
    EXPECT_EQ(client.Post("/api/act", {{"Authorization", "Bearer "}}, body, "application/json")->status, 401);
    EXPECT_EQ(engine.view("pump")->alarm.state, State::kUnacknowledged);
    const auto answer = client.Post("/api/act", kToken, body, "application/json");
    ASSERT_EQ(answer->status, 200) << answer->body;
    EXPECT_EQ(io::Json::parse(answer->body)["step"]["to"], "acknowledged");
    EXPECT_EQ(engine.view("pump")->alarm.state, State::kAcknowledged);
    EXPECT_EQ(client.Post("/api/act", kToken, body, "application/json")->status, 400) << "it is already";
}

TEST_F(Web, RefusesWhatIsNotForIt) {
    EXPECT_EQ(client.Get("/api/asset?name=nobody")->status, 404);
    EXPECT_EQ(client.Get("/api/levels?asset=pump&from=x")->status, 400);
    EXPECT_EQ(client.Get("/api/levels?asset=pump&from=9&to=1")->status, 400);
    EXPECT_EQ(client.Get("/../../etc/passwd")->status, 404);
    EXPECT_EQ(client.Get("/api/assets", {{"Host", "evil.example"}})->status, 421);
    EXPECT_EQ(client.Post("/api/act", kToken, "{", "application/json")->status, 400);
    EXPECT_EQ(client.Post("/api/act", kToken, std::string(1 << 20, 'x'), "application/json")->status, 413);
}

TEST_F(Web, SendsAPageThatFetchesNothingFromElsewhere) {
    const auto page = client.Get("/");
    ASSERT_EQ(page->status, 200);
    EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
    for (const char* path : {"/", "/app.js", "/app.css", "/style.css", "/uplot.css"}) {
        const auto file = client.Get(path);
        ASSERT_EQ(file->status, 200) << path;
        EXPECT_THAT(file->body, Not(HasSubstr("http://"))) << path;
        EXPECT_THAT(file->body, Not(HasSubstr("https://"))) << path;
        EXPECT_THAT(file->body, Not(HasSubstr("s3cret"))) << path;
    }
    EXPECT_EQ(client.Get("/uplot.js")->status, 200);
}

TEST_F(Web, SendsEventsAsTheyHappen) {
    std::string text;
    std::thread listener([&] {
        httplib::Client events("127.0.0.1", server.address().port);
        events.Get("/api/events", [&](const char* data, size_t size) {
            text.append(data, size);
            return text.find("acknowledged\"") == std::string::npos;
        });
    });
    rest();
    engine.act({.asset = "pump", .event = Event::kAcknowledge, .who = "Ada", .why = ""});
    listener.join();
    EXPECT_THAT(text, HasSubstr("event: assets\ndata: ["));
}

TEST_F(Web, TellsOfItsHealth) {
    EXPECT_EQ(client.Get("/healthz")->status, 200);
    EXPECT_EQ(client.Get("/readyz")->status, 200);
}

TEST_F(Web, HasMetricsThatPrometheusFindsNothingWrongWith) {
    const auto metrics = client.Get("/metrics");
    ASSERT_EQ(metrics->status, 200);
    EXPECT_THAT(metrics->body, HasSubstr("cmr_state{asset=\"pump\",state=\"unacknowledged\"} 1"));
    EXPECT_THAT(metrics->body, HasSubstr("cmr_readings_total{asset=\"pump\"} 2500"));
    EXPECT_THAT(metrics->body, Not(HasSubstr("s3cret")));
    const auto promtool = find_program("promtool");
    if (!promtool) GTEST_SKIP() << "promtool is not installed";
    std::ofstream(folder.path() / "metrics") << metrics->body;
    EXPECT_EQ(run({"sh", "-c", *promtool + " check metrics < " + (folder.path() / "metrics").string()},
                  folder.path() / "promtool"),
              0);
    EXPECT_EQ(io::read_file(folder.path() / "promtool"), "") << "it found fault with something";
}

TEST_F(Web, IsScrapedByPrometheus) {
    const auto program = find_program("prometheus");
    if (!program) GTEST_SKIP() << "Prometheus is not installed";
    std::ofstream(folder.path() / "prometheus.yml")
        << "scrape_configs:\n- job_name: cmr\n  scrape_interval: 1s\n  static_configs:\n  - targets: ['127.0.0.1:"
        << server.address().port << "']\n";
    const int port = free_port();
    const Child prometheus({*program, "--config.file=" + (folder.path() / "prometheus.yml").string(),
                            "--storage.tsdb.path=" + (folder.path() / "tsdb").string(),
                            "--web.listen-address=127.0.0.1:" + std::to_string(port)},
                           folder.path() / "log");
    httplib::Client query("127.0.0.1", port);
    EXPECT_TRUE(soon(
        [&] {
            const auto answer = query.Get("/api/v1/query?query=cmr_alarm_on%7Basset%3D%22pump%22%7D");
            return answer && answer->status == 200 && answer->body.find("\"1\"") != std::string::npos;
        },
        60));
}

TEST(Api, RefusesActionsThatAreNone) {
    const auto refused = [](const std::string& body, const std::vector<std::string>& words) {
        test::expect_input_error([&] { parse_action(body); }, words);
    };
    refused("", {});
    refused("[]", {});
    refused(R"({"asset": "a", "event": "raise", "who": "x"})", {"raise", "acknowledge"});
    refused(R"({"asset": "a", "event": "shelve", "who": ""})", {"who"});
    refused(R"({"asset": "", "event": "shelve", "who": "x"})", {"asset"});
    refused(R"({"asset": "a", "event": "shelve", "who": "x", "colour": 1})", {"colour"});
    refused("{\"asset\": \"a\", \"event\": \"shelve\", \"who\": \"" + std::string(501, 'x') + "\"}", {"501"});
    refused(R"({"asset": "a", "event": "shelve", "who": "a\u0007b"})", {"control"});
    EXPECT_EQ(parse_action(R"({"asset": "a", "event": "shelve", "who": "x", "hours": 2})").hours, 2);
}

TEST(Api, PoolsSpansByTheirHighest) {
    std::vector<Level> levels;
    for (int i = 0; i < 120; ++i)
        levels.push_back({60.0 * i, i == 7 ? 3.0f : 0.5f, 1, 0, i == 7, {static_cast<float>(i)}});
    const Curve curve = pooled(levels, 0, 7200, 60, 12);
    EXPECT_EQ(curve.span_s, 600);
    ASSERT_EQ(curve.levels.size(), 12u);
    EXPECT_EQ(curve.levels[0].level, 3);
    EXPECT_TRUE(curve.levels[0].alarm);
    EXPECT_EQ(curve.levels[0].residuals[0], 9);
    EXPECT_EQ(curve.levels[1].windows, 10);
    EXPECT_EQ(pooled(levels, 0, 7200, 60, 1000).levels.size(), 120u);
}

}  // namespace
}  // namespace cmr::live
