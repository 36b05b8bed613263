// `cmr score`, `cmr explain` and `cmr eval` on the next export of a plant, as its people meet them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/export.h"
#include "data/fingerprint.h"
#include "data/load.h"
#include "data/split.h"
#include "io/text/time.h"
#include "score/file/detector_file.h"
#include "score/fit_detector.h"

namespace cmr {
namespace {

using test::CommandResult;
using test::content;
using test::Export;
using test::fit_plant;
using test::lines_of;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

// --- The plant's next export ----------------------------------------------------------------------------------------

TEST_F(Export, IsReadAsTheRecipeReadsItsFiles) {
    std::filesystem::copy(folder / "data/healthy.csv", folder / "next.csv");
    const CommandResult result = cmr("score plant.cmr next.csv --out next.scores");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("its name fits no part of the recipe"));
    EXPECT_EQ(lines_of(content(folder / "next.scores")), 1 + kHealthy / kLength);
    EXPECT_THAT(cmr("score plant.cmr data/faulty.csv --out faulty.scores").output, HasSubstr("part 'fault'"));
    EXPECT_THAT(content(folder / "faulty.scores"),
                HasSubstr("\nfaulty.csv,0,2020-01-11 00:00:00,2020-01-11 00:00:32,unknown,,,new,"));
}

TEST_F(Export, TellsWhereTheTimeWent) {
    const CommandResult text = cmr("score plant.cmr data/faulty.csv --timing --out faulty.scores");
    ASSERT_EQ(text.exit_code, 0) << text.output;
    EXPECT_THAT(text.output, testing::ContainsRegex("Time: .*; reading [0-9]+ %, network [0-9]+ %, scorers [0-9]+ %, "
                                                    "the rest [0-9]+ %\\.\n"));
    EXPECT_THAT(cmr("score plant.cmr data/faulty.csv --out faulty.scores").output, Not(HasSubstr("Time:")));
    const auto started = std::chrono::steady_clock::now();
    const CommandResult result = shell("cmr score plant.cmr data/faulty.csv --out faulty.scores --json");
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const Json seconds = Json::parse(result.output).at("seconds");
    double sum = 0;
    for (const char* part : {"reading", "network", "scorers", "rest"}) {
        EXPECT_GE(seconds.at(part), 0) << part;
        sum += seconds.at(part).get<double>();
    }
    EXPECT_LE(sum, whole);
    EXPECT_GT(seconds.at("reading"), 0);
    EXPECT_GT(seconds.at("scorers"), 0);
}

TEST_F(Export, HasALiteralName) {
    std::filesystem::copy(folder / "data/faulty.csv", folder / "r{1}.csv");
    std::filesystem::copy(folder / "data/healthy.csv", folder / "r2.csv");
    const CommandResult result = shell("cmr score plant.cmr 'r{1}.csv' --out r.scores --json");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(Json::parse(result.output).at("windows"), kFaulty / kLength);
}

TEST_F(Export, CellsThatTheRecipeCallsMissingRaiseNoAlarm) {
    std::string rows = content(folder / "data/healthy.csv");
    const size_t line = rows.find("2020-01-01 00:01:40;"), cell = rows.find(';', line) + 1;
    rows.replace(cell, rows.find(';', cell) - cell, "-9999");
    std::ofstream(folder / "hole.csv") << rows;
    const CommandResult result = shell("cmr score plant.cmr hole.csv --out hole.scores --json");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(Json::parse(result.output).at("windows"), kHealthy / kLength);
    EXPECT_EQ(Json::parse(result.output).at("unjudged"), 1);
    EXPECT_EQ(Json::parse(result.output).at("alarms"), 0);
}

TEST_F(Export, WindowsInAnHourWithoutRowsAreCounted) {
    const CommandResult result = cmr("score plant.cmr data/healthy.csv --out healthy.scores");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("113 windows left out: there are gaps.\n"));  // 3,600 s, one each 32 s
}

TEST_F(Export, MayLackAnEffect) {
    ASSERT_EQ(shell("cut -d';' -f1-4 data/faulty.csv > lacks.csv").exit_code, 0);
    const CommandResult result = cmr("score plant.cmr lacks.csv --out lacks.scores");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("Sick sensor: z absent in 20 of 20 windows."));
    std::istringstream lines(content(folder / "lacks.scores"));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        EXPECT_THAT(line, HasSubstr(",z absent,"));
        EXPECT_TRUE(line.ends_with(",")) << line;  // its own residual
    }
    const CommandResult explained = cmr("explain plant.cmr lacks.csv");
    EXPECT_THAT(explained.output, testing::StartsWith("sick sensor: z, absent\n"));
    expect_refused("score plant.cmr lacks.csv --set data.gaps=error", {"lacks.csv", "'z'"});
}

TEST_F(Export, WithoutACauseNothingIsJudged) {
    ASSERT_EQ(shell("cut -d';' -f1,3- data/faulty.csv > lacks.csv").exit_code, 0);
    const CommandResult result = shell("cmr score plant.cmr lacks.csv --out lacks.scores --json");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(Json::parse(result.output).at("unjudged"), 20);
    EXPECT_EQ(Json::parse(result.output).at("alarms"), 0);
    EXPECT_THAT(content(folder / "lacks.scores"), HasSubstr(",unjudged,,,new,,"));
    EXPECT_EQ(explain("lacks.csv").at("verdict"), "not judged");
    ASSERT_EQ(shell("cut -d';' -f1 data/faulty.csv > nothing.csv").exit_code, 0);
    expect_refused("score plant.cmr nothing.csv", {"nothing.csv", "no column 'a'"});
}

TEST_F(Export, UnitsThatAreWrongAreASickSensor) {
    std::ofstream out(folder / "units.csv");
    std::istringstream rows(content(folder / "data/healthy.csv"));
    for (std::string line; std::getline(rows, line);) {
        const size_t cell = line.rfind(';') + 1;  // z
        out << line.substr(0, cell) << (line.find(',') == std::string::npos ? line.substr(cell) : "1000") << '\n';
    }
    out.close();
    const Json found = explain("units.csv");
    EXPECT_EQ(found.at("verdict"), "sensor sick");
    EXPECT_EQ(found.at("sensors").at(0).at("channel"), "z");
    EXPECT_EQ(found.at("sensors").at(0).at("sickness"), "outside range");
    EXPECT_THAT(found.at("sentence"), HasSubstr("is of its own channel"));
}

TEST_F(Export, HasNoLabelsToJudgeBy) {
    must("score plant.cmr data/faulty.csv --out faulty.scores");
    expect_refused("eval faulty.scores", {"faulty.scores:2", "unknown", "no labels to judge by"});
    must("score plant.cmr --out all.scores");
    must("eval all.scores");
}

TEST_F(Export, TellsTheShareOfTimeInAlarm) {
    const CommandResult result = shell("cmr score plant.cmr --out all.scores --json");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const Json json = Json::parse(result.output);
    // The last column but the residuals of two effects, sick sensors and the range is the alarm.
    std::istringstream lines(content(folder / "all.scores"));
    int64_t windows = -1, in_alarm = 0;
    for (std::string line; std::getline(lines, line); ++windows) {
        for (int i = 0; i < 4; ++i) line.resize(line.rfind(','));
        in_alarm += line.ends_with(",1");
    }
    EXPECT_GT(in_alarm, 0);
    EXPECT_LT(in_alarm, windows);
    EXPECT_EQ(json.at("alarm_share"), static_cast<double>(in_alarm) / static_cast<double>(windows));
    EXPECT_EQ(json.at("scored_seconds"), kHealthy + kFaulty);
    const CommandResult text = cmr("score plant.cmr --out all.scores");
    EXPECT_THAT(text.output, HasSubstr(fmt::format("alarm on in {:.1f} % of 1 h 4 min",
                                                   100.0 * static_cast<double>(in_alarm) / windows)));
}

// --- Settings over the model's recipe
// ---------------------------------------------------------------------------------

TEST_F(Export, MayBeReadInAnotherWay) {
    std::string rows = content(folder / "data/faulty.csv");
    std::ranges::replace(rows, ',', '.');
    std::ofstream(folder / "points.csv") << rows;
    expect_refused("score plant.cmr points.csv", {"points.csv:3", "column 'a'"});
    must("score --set data.read.decimal=point plant.cmr points.csv --out points.scores");
    must("score plant.cmr data/faulty.csv --out faulty.scores");
    std::string points = content(folder / "points.scores"), faulty = content(folder / "faulty.scores");
    for (size_t at; (at = points.find("points.csv")) != std::string::npos;) points.replace(at, 10, "faulty.csv");
    EXPECT_EQ(points, faulty);
    EXPECT_EQ(explain("points.csv --set data.read.decimal=point").at("recording"), "points.csv");
}

TEST_F(Export, WindowsAreAsDenseAsAsked) {
    const auto windows = [&](const std::string& arguments) {
        const CommandResult result = shell("cmr score plant.cmr data/faulty.csv --out x.scores --json " + arguments);
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return Json::parse(result.output).at("windows").get<int64_t>();
    };
    EXPECT_EQ(windows("--set window.stride=16"), 2 * ((320 - kLength) / 16 + 1));  // on each side of the gap
    EXPECT_EQ(windows("--stride 16"), windows("--set window.stride=16"));
    expect_refused("score plant.cmr data/faulty.csv --stride -5", {"--stride", "-5"});
    expect_refused("score plant.cmr data/faulty.csv --stride 0", {"--stride", "0"});
    expect_refused("score plant.cmr data/faulty.csv --stride many", {"--stride", "whole number"});
}

TEST_F(Export, WhatTheModelWasFittedOnStays) {
    for (const char* verb : {"score", "explain"})
        for (const char* setting : {"window.length=64", "score.k=3", "model.width=8", "data.rate_hz=2", "channels=[]",
                                    "split.purge=3", "screening.coupled_r2=0.1", "data={}"})
            expect_refused(fmt::format("{} plant.cmr data/faulty.csv --set '{}'", verb, setting),
                           {fmt::format("--set {}", setting), "fitted", "window.stride and data.*"});
    expect_refused("score plant.cmr --set data.red.decimal=point", {"data.red", "read"});
    expect_refused("score plant.cmr --part fault", {"--part fault"});
}

// --- Which window is explained
// ----------------------------------------------------------------------------------------

TEST_F(Export, AnExplanationNamesItsFileAndItsWindow) {
    const CommandResult text = cmr("explain plant.cmr --at '2020-01-11 00:01:00'");
    EXPECT_EQ(text.exit_code, 0) << text.output;
    EXPECT_THAT(text.output, HasSubstr("faulty.csv, window from 2020-01-11 00:00:32 to 2020-01-11 00:01:04\n"));
    const Json json = explain("--at '2020-01-11 00:01:00'");
    EXPECT_EQ(json.at("recording"), "faulty.csv");
    EXPECT_EQ(json.at("window").at("start"), "2020-01-11 00:00:32");
    EXPECT_EQ(json.at("window").at("end"), "2020-01-11 00:01:04");
    EXPECT_EQ(json.at("window").at("end_s").get<double>() - json.at("window").at("start_s").get<double>(), kLength);
    EXPECT_EQ(explain("").at("recording"), "faulty.csv") << "the first alarm";
    EXPECT_EQ(explain("--recording healthy.csv").at("recording"), "healthy.csv");
}

TEST_F(Export, AMomentThatIsNotThereIsRefusedWithWhatIs) {
    expect_refused(
        "explain plant.cmr data/faulty.csv --at '2034-01-11 00:01:00'",
        {"--at 2034-01-11 00:01:00", "faulty.csv has windows from 2020-01-11 00:00:00 to 2020-01-11 01:10:40"});
    expect_refused("explain plant.cmr --at '2020-01-11 00:30:00'", {"faulty.csv", "with a gap there", "healthy.csv"});
    expect_refused("explain plant.cmr --at '2020-01-11 00:01:00' --recording healthy.csv", {"healthy.csv has windows"});
    expect_refused("explain plant.cmr --at soon", {"--at soon", "expected a time"});
    expect_refused("explain plant.cmr --recording healty.csv", {"healthy.csv"});
    // The last window is good for one step more.
    EXPECT_EQ(explain("--at '2020-01-11 01:11:12'").at("window").at("end"), "2020-01-11 01:10:40");
    expect_refused("explain plant.cmr --at '2020-01-11 01:11:13'", {"no window there"});
}

// Its recordings count seconds from their beginnings.
struct Undated : testing::Test, test::Program {
    Undated() { fit_plant(folder.path()); }
};

TEST_F(Undated, AMomentOfSeveralRecordingsNeedsTheRecording) {
    const CommandResult two = cmr("explain plant.cmr --at 100");
    EXPECT_EQ(two.exit_code, 2);
    for (const char* words : {"--at 100", "--recording", "healthy.csv; faulty.csv"})
        EXPECT_THAT(two.output, HasSubstr(words));
    const CommandResult one = cmr("explain plant.cmr --at 100 --recording faulty.csv");
    EXPECT_EQ(one.exit_code, 0) << one.output;
    EXPECT_THAT(one.output, HasSubstr("faulty.csv, window from 64 s to 96 s"));
    EXPECT_EQ(cmr("explain plant.cmr --at 3000").exit_code, 0) << "only one is that long";
}

// The recipe allows no gaps in its own data, and an export is not sent back for one; --set says otherwise.
TEST_F(Undated, MayHaveEmptyCells) {
    std::string rows = content(folder / "data/healthy.csv");
    const size_t line = rows.find('\n', rows.size() / 2) + 1;
    rows.erase(line, rows.find(',', line) - line);  // of a cause
    std::ofstream(folder / "hole.csv") << rows;
    const CommandResult result = cmr("score plant.cmr hole.csv --out hole.scores");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("1 windows not judged: a cause is absent, or every effect."));
    EXPECT_THAT(result.output, HasSubstr("Sick sensor: a absent in 1 of 100 windows."));
    const CommandResult refused = cmr("score plant.cmr hole.csv --set data.gaps=error");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.output, HasSubstr("channel 'a' has no value"));
}

}  // namespace
}  // namespace cmr
