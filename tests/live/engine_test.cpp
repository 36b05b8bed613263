#include "live/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "io/file.h"
#include "live/marked.h"
#include "live/metrics.h"
#include "live/watched_plant.h"
#include "live/web/api.h"
#include "live/words.h"
#include "score/explain/sentence.h"
#include "score/score_run.h"

namespace cmr::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const auto kSilent = [](const std::string&) {};

// Hands readings over as a source does, some rows at a time.
void feed(Engine& engine, const std::vector<Reading>& readings, size_t at_a_time = 250) {
    for (size_t begin = 0; begin < readings.size(); begin += at_a_time)
        engine.sink().take(std::span(readings).subspan(begin, std::min(at_a_time, readings.size() - begin)));
}

std::vector<std::string> story(Ledger& ledger, const std::string& asset = "pump") {
    std::vector<std::string> out;
    for (const Entry& entry : ledger.entries({.asset = asset, .limit = 1000}))
        out.insert(out.begin(),
                   std::string(name(entry.step.event)) + " " + std::to_string(std::lround(entry.event_s - kStart_s)));
    return out;
}

// What the alarm does by the stream alone, without a monitor around it.
std::vector<std::string> expected_story(const std::vector<Reading>& readings) {
    monitor::Stream stream(small_model());
    const std::vector<std::string> channels = small_channels();
    Alarm alarm;
    std::vector<std::string> out;
    for (const Reading& reading : readings) {
        stream.push(reading.time_s, std::ranges::find(channels, reading.channel) - channels.begin(), reading.value);
        while (const auto window = stream.next()) {
            std::optional<bool> on;
            if (window->judged && (window->alarm || window->level < 1)) on = window->alarm;
            if (const auto step = advance(alarm, window->end_s, on).alarm)
                out.push_back(std::string(name(step->event)) + " " +
                              std::to_string(std::lround(window->end_s - kStart_s)));
        }
    }
    return out;
}

TEST(Engine, RaisesAnAlarmWithWordsAndClearsIt) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    const auto readings = plant_readings("pump", 0, 900, 300, 600);
    Engine engine(plant, kSilent);
    engine.start();
    feed(engine, readings);
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 880; }));
    engine.stop();
    Ledger ledger({plant.ledger.address, ""});
    EXPECT_EQ(story(ledger), expected_story(readings));
    const auto entries = ledger.entries({.asset = "pump", .limit = 1000, .events = {"raise"}});
    ASSERT_FALSE(entries.empty());
    const Entry& raise = entries.back();
    EXPECT_NEAR(raise.event_s - kStart_s, 330, 30);
    EXPECT_THAT(raise.sentence, HasSubstr("inlet"));
    EXPECT_THAT(raise.sentence, HasSubstr("Look first at"));
    EXPECT_THAT(raise.sentence, HasSubstr("inlet is "));
    EXPECT_THAT(raise.sentence, HasSubstr(" is expected."));
    EXPECT_GT(raise.level, 1);
    EXPECT_TRUE(raise.step.told);
    EXPECT_GE(engine.view("pump")->counts.windows, 50);
}

// A sensor that its lagged causes hardly foretell, and the likeliest of them, which explains next to nothing.
score::Explanation broken_mechanism() {
    score::Explanation out;
    out.verdict = score::Verdict::kMechanismBroke;
    out.voice = "cva";
    out.effects = {{.name = "AIT504", .residual = 4.1, .alone = 1, .coupling = 0},
                   {.name = "FIT101", .residual = 1.2, .alone = 1, .coupling = 0.9}};
    out.causes = {{.name = "MV101", .share = 0.05}, {.name = "P101", .share = 0.01}};
    return out;
}

TEST(Words, LookFirstBetweenCauseAndEffectWhereTheExplanationNamesTheCause) {
    score::Explanation e = broken_mechanism();
    e.causes.front().share = 0.6;
    e.cause_named = true;
    EXPECT_EQ(look_first(e), "Look first at what stands between MV101 and AIT504.");
}

TEST(Words, LookFirstAtSensorAndMachineWhereNoCauseIsNamed) {
    score::Explanation e = broken_mechanism();
    for (const double coupling : {0.0, 0.9}) {
        e.effects.front().coupling = coupling;
        EXPECT_EQ(look_first(e), "Look first at AIT504: its sensor and its part of the machine.");
    }
    Entry entry;
    put_words(e, entry);
    EXPECT_EQ(entry.sentence.find("MV101"), std::string::npos) << entry.sentence;
}

TEST(Words, EvidenceHoldsTheCausesThatTheExplanationNames) {
    const auto causes_of = [](const score::Explanation& e) {
        Entry entry;
        put_words(e, entry);
        return io::Json::parse(entry.evidence)["causes"];
    };
    score::Explanation e = broken_mechanism();
    EXPECT_TRUE(causes_of(e).empty());
    e.causes.front().share = 0.6;
    e.cause_named = true;
    EXPECT_EQ(causes_of(e), (io::Json{{{"name", "MV101"}, {"share", 0.6}}})) << "P101 explains next to nothing";
}

TEST(Words, LookFirstAtNothingWhereTheMachineAsAWholeLeftWhatIsHealthy) {
    score::Explanation e = broken_mechanism();
    e.effects.front().residual = 2.9;
    EXPECT_EQ(look_first(e), "");
    e.effects.front().residual = 3;
    EXPECT_NE(look_first(e), "");
}

TEST(Words, LookFirstAtTheSensorThatAloneIsAbnormal) {
    score::Explanation e = broken_mechanism();
    e.verdict = score::Verdict::kEffectAbnormal;
    EXPECT_EQ(look_first(e), "Look first at the sensor AIT504.");
}

TEST(Words, AskFirstHowThePlantIsRunOutsideTheRange) {
    score::Explanation e = broken_mechanism();
    e.verdict = score::Verdict::kOutsideRange;
    EXPECT_THAT(look_first(e), HasSubstr("Ask first whether the plant is run"));
    EXPECT_EQ(look_first(e).find("MV101"), std::string::npos);
}

TEST(Words, LookFirstAtNothingWhereTheSentenceSaysAll) {
    score::Explanation e = broken_mechanism();
    for (const auto verdict : {score::Verdict::kSensorSick, score::Verdict::kUnjudged, score::Verdict::kNormal}) {
        e.verdict = verdict;
        EXPECT_EQ(look_first(e), "") << score::name(verdict);
    }
    e.verdict = score::Verdict::kMechanismBroke;
    e.effects.clear();
    EXPECT_EQ(look_first(e), "");
}

// An explanation names a cause only of an effect that has left, so those are all that there are.
TEST(Words, LookFirstWhereTheSentenceBeforeItLooks) {
    score::Explanation e = broken_mechanism();
    for (const double residual : {0.5, 2.99, 3.0, 3.01, 50.0})
        for (const double coupling : {0.0, 0.1, 0.9})
            for (const bool named : {false, true}) {
                if (named && residual < 3) continue;
                e.effects.front().residual = residual;
                e.effects.front().coupling = coupling;
                e.cause_named = named;
                const std::string said = score::sentence(e, "noon", 0.1), look = look_first(e);
                const auto both = said + " " + look;
                const auto names = [](const std::string& text, const char* what) {
                    return text.find(what) != std::string::npos;
                };
                EXPECT_EQ(names(look, "MV101"), names(said, "MV101")) << both;
                EXPECT_EQ(look.empty(), names(said, "no effect by itself is far")) << both;
                EXPECT_EQ(look.empty(), !names(look, "AIT504")) << both;
                if (names(said, "its sensor from the machine")) {
                    EXPECT_TRUE(names(look, "its sensor and its part of the machine")) << both;
                }
            }
}

TEST(Engine, TellsOfAMachineThatIsRunAsItNeverWas) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    std::vector<Reading> readings = plant_readings("pump", 0, 900);
    for (Reading& reading : readings)  // "speed" and "load" are causes; nothing follows them there
        if (reading.time_s >= kStart_s + 400 && (reading.channel == "speed" || reading.channel == "load"))
            reading.value = 30 * reading.value + 100;
    Engine engine(plant, kSilent);
    engine.start();
    feed(engine, readings);
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 880; }));
    const AssetView view = *engine.view("pump");
    EXPECT_TRUE(view.outside_range);
    EXPECT_FALSE(view.recent.front().outside);
    EXPECT_TRUE(view.recent.back().outside);
    EXPECT_EQ(summary_json(view)["outside_range"], true);
    EXPECT_THAT(metrics_text(engine.status(), engine.views(), 0), HasSubstr("cmr_outside_range{asset=\"pump\"} 1\n"));
    engine.stop();
    Ledger ledger({plant.ledger.address, ""});
    int64_t before = 0, after = 0;
    const auto levels = ledger.levels("pump", 60, kStart_s - 60, kStart_s + 900);
    for (const Level& level : levels) (level.begin_s < kStart_s + 340 ? before : after) += level.outside;
    EXPECT_EQ(before, 0);
    EXPECT_GE(after, 20);
    int64_t shown = 0;
    const io::Json curve = curve_json(pooled(levels, kStart_s, kStart_s + 900, 60, 4), {});
    for (const io::Json& count : curve["outside"]) shown += count.get<int64_t>();
    EXPECT_EQ(shown, after);
    const auto entries = ledger.entries({.asset = "pump", .limit = 1000, .events = {"raise"}});
    ASSERT_FALSE(entries.empty());
    EXPECT_EQ(entries.back().verdict, "outside range");
    EXPECT_THAT(headline(entries.back()), HasSubstr(", outside the learned range"));
    EXPECT_THAT(entries.back().sentence, HasSubstr("Ask first whether the plant is run in a way that it never was"));
}

TEST(Engine, KeepsTheHighestLevelOfEachMinuteAndHour) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    Engine engine(plant, kSilent);
    engine.start();
    feed(engine, plant_readings("pump", 0, 4000, 600, 700));
    Ledger ledger({plant.ledger.address, ""});
    ASSERT_TRUE(soon([&] { return ledger.levels("pump", 60, kStart_s, kStart_s + 3960).size() >= 65; }));
    engine.stop();
    float highest = 0;
    for (const Level& level : ledger.levels("pump", 60, kStart_s + 600, kStart_s + 780)) {
        highest = std::max(highest, level.level);
        EXPECT_EQ(level.residuals.size(), 3u);
    }
    EXPECT_GT(highest, 1);
    const auto hours = ledger.levels("pump", 3600, 0, 2e9);
    ASSERT_FALSE(hours.empty());
}

// A process that is killed again and again while it takes readings, and goes on each time. Sources hand over anew what
// was not acknowledged.
TEST(Engine, LosesAndDoublesNothingWhenItIsKilled) {
    const TestFolder folder;
    const std::string quick = "[storage]\nsnapshot_s = 1\n";
    const Plant plant = small_plant(folder.path(), quick);
    std::ofstream(folder.path() / "plant.toml") << small_plant_text(quick);
    const auto readings = plant_readings("pump", 0, 2000, 300, 600);
    const fs::path place = folder.path() / "place";  // how far the source is, as it knows
    std::ofstream(place) << 0;
    write_readings(folder.path() / "readings", readings);
    Rng rng(5);
    for (int killed = 0; killed < 20; ++killed) {
        Child victim({std::string(std::getenv("CMR_BIN") ? std::getenv("CMR_BIN") : "bin") + "/live_victim",
                      folder.path().string()},
                     folder.path() / "log");
        const auto moments = 3 + static_cast<int>(rng.below(60));
        for (int i = 0; i < moments; ++i) rest();
        victim.signal(SIGKILL);
        ASSERT_EQ(victim.wait(), 128 + SIGKILL) << io::read_file(folder.path() / "log");
    }
    Engine engine(plant, kSilent);
    engine.start();
    size_t at = 0;
    std::ifstream(place) >> at;
    feed(engine, {readings.begin() + static_cast<ptrdiff_t>(at), readings.end()});
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 1980; }));
    engine.stop();
    Ledger ledger({plant.ledger.address, ""});
    EXPECT_EQ(story(ledger), expected_story(readings));
    const AssetView view = *engine.view("pump");
    EXPECT_EQ(view.counts.windows, (2000 - test::kPlantLength) / test::kPlantStride + 1);
    EXPECT_EQ(view.counts.gaps, 0);
}

TEST(Engine, GoesOnAfterAStopWithTheSameState) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    const auto readings = plant_readings("pump", 0, 1000, 300);
    for (int part = 0; part < 4; ++part) {
        Engine engine(plant, kSilent);
        engine.start();
        feed(engine, {readings.begin() + part * 1250, readings.begin() + (part + 1) * 1250});
        engine.stop();
    }
    Ledger ledger({plant.ledger.address, ""});
    EXPECT_EQ(story(ledger), expected_story(readings));
}

TEST(Engine, StopsInTheMiddleOfManyReadingsAndGoesOnThere) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    const auto readings = plant_readings("pump", 0, 20000, 9000, 11000);  // five times what is judged in a round
    int64_t judged = 0;
    for (size_t begin = 0; begin < readings.size(); begin += 50000) {
        Engine engine(plant, kSilent);
        engine.start();
        engine.sink().take(std::span(readings).subspan(begin, std::min<size_t>(50000, readings.size() - begin)));
        engine.stop();  // at once; what is not judged is in the journal
        judged = engine.view("pump")->counts.readings;
    }
    Engine engine(plant, kSilent);
    EXPECT_GE(engine.view("pump")->counts.readings, judged);
    EXPECT_EQ(engine.view("pump")->counts.readings, std::ssize(readings));
    engine.start();
    Ledger ledger({plant.ledger.address, ""});
    ASSERT_TRUE(soon([&] { return story(ledger) == expected_story(readings); }));
}

TEST(Engine, RecordsWhatPeopleDoWithWhoAndWhy) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    Engine engine(plant, kSilent);
    engine.start();
    EXPECT_THROW(engine.act({.asset = "pump", .event = Event::kAcknowledge, .who = "Ada", .why = ""}), InputError)
        << "there is nothing to acknowledge";
    EXPECT_THROW(engine.act({.asset = "pomp", .event = Event::kAcknowledge, .who = "Ada", .why = ""}), InputError);
    feed(engine, plant_readings("pump", 0, 500, 300));
    ASSERT_TRUE(soon([&] { return engine.view("pump")->alarm.state == State::kUnacknowledged; }));
    const Entry entry = engine.act({.asset = "pump", .event = Event::kAcknowledge, .who = "Ada", .why = "valve stuck"});
    EXPECT_EQ(entry.step.to, State::kAcknowledged);
    Ledger ledger({plant.ledger.address, ""});
    const auto entries = ledger.entries({.asset = "pump", .limit = 1});
    EXPECT_EQ(entries.at(0).who, "Ada");
    EXPECT_EQ(entries.at(0).why, "valve stuck");
    engine.act({.asset = "pump", .event = Event::kShelve, .hours = 2, .who = "Ada", .why = ""});
    EXPECT_EQ(engine.view("pump")->alarm.shown(), State::kShelved);
    EXPECT_THROW(engine.act({.asset = "pump", .event = Event::kShelve, .hours = 1e9, .who = "", .why = ""}),
                 InputError);
    engine.stop();
}

TEST(Engine, RemembersWhichAlarmsWereFalse) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    Engine engine(plant, kSilent);
    engine.start();
    EXPECT_THROW(engine.act({.asset = "pump", .event = Event::kMark, .who = "Ada", .why = ""}), InputError)
        << "there was no alarm";
    const auto readings = plant_readings("pump", 0, 900, 300, 600);
    feed(engine, {readings.begin(), readings.begin() + 2250});
    ASSERT_TRUE(
        soon([&] { return engine.view("pump")->event_s >= kStart_s + 440 && engine.view("pump")->alarm.on(); }));
    const Entry early = engine.act({.asset = "pump", .event = Event::kMark, .who = "Ada", .why = "a test"});
    EXPECT_EQ(early.step.from, early.step.to) << "it changes no state";
    EXPECT_FALSE(early.step.told);
    Ledger ledger({plant.ledger.address, ""});
    ASSERT_EQ(marked(ledger, "pump").size(), 1u);
    EXPECT_EQ(marked(ledger, "pump")[0].end_s, early.event_s) << "nobody has spoken of what follows";
    feed(engine, {readings.begin() + 2250, readings.end()});
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 880; }));
    EXPECT_EQ(marked(ledger, "pump")[0].end_s, early.event_s);
    engine.act(
        {.asset = "pump", .event = Event::kUnmark, .raised_s = early.raised_s, .who = "Bo", .why = "it was one"});
    EXPECT_TRUE(marked(ledger, "pump").empty());
    engine.act({.asset = "pump", .event = Event::kMark, .raised_s = early.raised_s, .who = "Cy", .why = "it was none"});
    const auto found = marked(ledger, "pump");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].who, "Cy");
    EXPECT_EQ(found[0].raised_s, early.raised_s);
    EXPECT_EQ(found[0].end_s, ledger.entries({.asset = "pump", .limit = 1, .events = {"clear"}}).at(0).event_s);
    EXPECT_THROW(engine.act({.asset = "pump", .event = Event::kMark, .raised_s = 2e9, .who = "Ada", .why = ""}),
                 InputError);
    engine.stop();
}

TEST(Engine, SaysInTheLedgerWhoMadeTheModelLearn) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    const auto learn = [&](int64_t additions) {
        score::Detector changed = score::load_detector(folder.path() / "small.cmr");
        changed.provenance.added.assign(
            additions, {"/plant/day.csv", {}, {}, {}, std::to_string(additions), 49, 1.8e9, "Ada", "new filter"});
        score::save_detector(changed, folder.path() / "next.cmr");
        fs::rename(folder.path() / "next.cmr", folder.path() / "small.cmr");
    };
    const auto learned = [&] {
        Ledger ledger({plant.ledger.address, ""});
        return ledger.entries({.asset = "pump", .limit = 100, .events = {"learn"}});
    };
    {
        Engine engine(plant, kSilent);
        engine.start();
        learn(1);
        engine.reload(plant);
        ASSERT_TRUE(soon([&] { return learned().size() == 1; }));
        EXPECT_EQ(learned()[0].who, "Ada");
        EXPECT_EQ(learned()[0].why, "new filter");
        EXPECT_THAT(learned()[0].evidence, HasSubstr("/plant/day.csv"));
        engine.reload(plant);
        engine.stop();
    }
    learn(2);
    for (int starts = 0; starts < 2; ++starts) {
        Engine engine(plant, kSilent);
        engine.start();
        ASSERT_TRUE(soon([&] { return learned().size() == 2; })) << "once for each change, at a start as well";
        engine.stop();
    }
    EXPECT_EQ(learned().size(), 2u);
    learn(0);
    Engine engine(plant, kSilent);
    engine.start();
    EXPECT_TRUE(soon([&] { return learned().size() == 3; })) << "it was put back";
    engine.stop();
}

TEST(Engine, SaysThatASilentMachineIsStaleWhichChangesNoAlarm) {
    const TestFolder folder;
    TestClock clock;
    const Plant plant = small_plant(folder.path(), "[rules]\nsilent_s = 30\n");
    Engine engine(plant, kSilent, clock);
    engine.start();
    feed(engine, plant_readings("pump", 0, 500, 300));
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 480; }));
    EXPECT_TRUE(engine.view("pump")->alarm.on());
    clock.pass(31);
    ASSERT_TRUE(soon([&] { return engine.view("pump")->alarm.stale; }));
    EXPECT_EQ(engine.view("pump")->alarm.shown(), State::kUnacknowledged);
    feed(engine, plant_readings("pump", 500, 600, 300));
    ASSERT_TRUE(soon([&] { return !engine.view("pump")->alarm.stale; }));
    EXPECT_EQ(engine.view("pump")->alarm.shown(), State::kUnacknowledged);
    engine.stop();
}

TEST(Engine, IsNotMovedByAClockThatIsSet) {
    const TestFolder folder;
    TestClock clock;
    const auto readings = plant_readings("pump", 0, 900, 300, 600);
    const Plant plant = small_plant(folder.path());
    Engine engine(plant, kSilent, clock);
    engine.start();
    for (size_t begin = 0; begin < readings.size(); begin += 500) {
        clock.wall = clock.wall + (begin % 1000 == 0 ? 3600 : -3600);
        engine.sink().take(std::span(readings).subspan(begin, std::min<size_t>(500, readings.size() - begin)));
    }
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 880; }));
    ASSERT_TRUE(soon([&] { return engine.view("pump")->unrecorded == 0; }));
    engine.stop();
    Ledger ledger({plant.ledger.address, ""});
    EXPECT_EQ(story(ledger), expected_story(readings));
}

TEST(Engine, KeepsAnAlarmWhileTheSensorThatItRestsOnIsUnplugged) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    auto readings = plant_readings("pump", 0, 1200, 300, 900);
    std::erase_if(readings, [](const Reading& reading) {
        const double t = reading.time_s - kStart_s;
        return reading.channel == "inlet" && t >= 450 && t < 700;
    });
    Engine engine(plant, kSilent);
    engine.start();
    feed(engine, readings);
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 1180; }));
    engine.stop();
    Ledger ledger({plant.ledger.address, ""});
    const auto steps = story(ledger);
    ASSERT_EQ(steps.size(), 2u) << testing::PrintToString(steps);
    EXPECT_THAT(steps[0], HasSubstr("raise 3"));
    ASSERT_THAT(steps[1], HasSubstr("clear "));
    EXPECT_GT(std::stoi(steps[1].substr(6)), 900) << "when it is plugged in and well";
}

// A limit on the size of files is a disk without room.
TEST(Engine, JudgesOnWithoutRoomOnTheDiskAndWritesAgainWhenThereIs) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    const auto readings = plant_readings("pump", 0, 900, 300, 600);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit room{};
    getrlimit(RLIMIT_FSIZE, &room);
    Engine engine(plant, kSilent);
    engine.start();
    feed(engine, {readings.begin(), readings.begin() + 1000});
    const rlimit none{100, room.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    feed(engine, {readings.begin() + 1000, readings.begin() + 2500});
    EXPECT_TRUE(soon([&] { return engine.view("pump")->alarm.on(); })) << "it goes on judging";
    EXPECT_FALSE(engine.status().intake.safe);
    EXPECT_GT(engine.status().intake.unsafe, 0);
    EXPECT_TRUE(soon([&] { return !engine.status().recorder.reached; }));
    EXPECT_GT(engine.view("pump")->unrecorded, 0);
    setrlimit(RLIMIT_FSIZE, &room);
    feed(engine, {readings.begin() + 2500, readings.end()});
    EXPECT_TRUE(soon([&] { return engine.view("pump")->unrecorded == 0 && engine.status().recorder.reached; }));
    EXPECT_TRUE(engine.status().intake.safe);
    engine.stop();
    Ledger ledger({plant.ledger.address, ""});
    EXPECT_EQ(story(ledger), expected_story(readings));
}

TEST(Engine, CountsWhatNobodyWatches) {
    const TestFolder folder;
    Engine engine(small_plant(folder.path()), kSilent);
    engine.start();
    const std::vector<Reading> readings = {
        {"pump", "no such channel", 1, 1}, {"nobody", "inlet", 1, 1}, {"pump", "inlet", NAN, 1}};
    engine.sink().take(readings);
    EXPECT_EQ(engine.status().intake.unwatched, 2);
    EXPECT_EQ(engine.status().intake.senseless, 1);
    EXPECT_EQ(engine.status().intake.readings, 0);
    engine.stop();
}

TEST(Engine, TakesANewConfigurationInTheMiddleOfAnAlarm) {
    const TestFolder folder;
    const Plant plant = small_plant(folder.path());
    const auto readings = plant_readings("pump", 0, 900, 300, 600);
    Engine engine(plant, kSilent);
    engine.start();
    feed(engine, {readings.begin(), readings.begin() + 2250});
    Plant changed = small_plant(folder.path(), "", "\"pump\", \"fan\"");
    engine.reload(changed);
    EXPECT_EQ(engine.views().size(), 2u);
    fs::copy_file(folder.path() / "small.cmr", folder.path() / "same.cmr");
    fs::rename(folder.path() / "same.cmr", folder.path() / "small.cmr");  // a new file that says the same
    engine.reload(changed);
    feed(engine, {readings.begin() + 2250, readings.end()});
    ASSERT_TRUE(soon([&] { return engine.view("pump")->event_s >= kStart_s + 880; }));
    Ledger ledger({plant.ledger.address, ""});
    ASSERT_TRUE(soon([&] { return story(ledger) == expected_story(readings); })) << "as if nothing had been";

    std::ofstream(folder.path() / "small.cmr") << "no model";
    EXPECT_THROW(engine.reload(changed), InputError);
    EXPECT_EQ(engine.views().size(), 2u) << "the old one goes on";
    engine.stop();
}

TEST(Engine, GivesColumnsTheNamesOfTheModel) {
    const TestFolder folder;
    score::save_detector(small_detector(), folder.path() / "small.cmr");
    const Plant plant = parse_plant(
        "[[asset]]\nnames = [\"pump\"]\nmodel = \"small.cmr\"\ncolumns = [\"inlet=p1\"]\n[web]\naddress = \"\"\n",
        folder.path() / "plant.toml");
    Engine engine(plant, kSilent);
    engine.sink().take(std::vector<Reading>{{"pump", "p1", 1, 1}, {"pump", "inlet", 1, 1}});
    EXPECT_EQ(engine.status().intake.readings, 1);
    EXPECT_EQ(engine.status().intake.unwatched, 1);
    EXPECT_THROW(Engine(parse_plant("[[asset]]\nnames = [\"a\"]\nmodel = \"small.cmr\"\ncolumns = [\"x=y\"]\n",
                                    folder.path() / "plant.toml"),
                        kSilent),
                 InputError);
}

}  // namespace
}  // namespace cmr::live
