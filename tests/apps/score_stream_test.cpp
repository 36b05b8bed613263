// `cmr score` on rows as they come: from standard input, from pipes, from files that grow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "apps/export.h"
#include "support/background.h"

namespace cmr {
namespace {

using test::Background;
using test::CommandResult;
using test::content;
using test::lines_of;
using test::wait_until;
using testing::HasSubstr;
using Json = nlohmann::json;

struct ScoreStream : test::Export {
    // What `cmr score` writes of the file, with another name of the recording.
    std::string expected(const std::string& recording) const {
        must("score plant.cmr data/faulty.csv --out file.scores");
        std::string out = content(folder / "file.scores");
        for (size_t at = 0; (at = out.find("\nfaulty.csv,", at)) != std::string::npos;)
            out.replace(at + 1, std::string("faulty.csv").size(), recording);
        return out;
    }
    std::vector<std::string> rows() const {
        std::vector<std::string> out;
        std::istringstream lines(content(folder / "data/faulty.csv"));
        for (std::string line; std::getline(lines, line);) out.push_back(line + "\n");
        return out;
    }
};

TEST_F(ScoreStream, StandardInputHasTheScoresOfTheFile) {
    const CommandResult result = shell("cmr score plant.cmr - < data/faulty.csv 2>said");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.output, expected("-"));
    EXPECT_THAT(content(folder / "said"), HasSubstr("640 rows, 20 windows of which 0 could not be judged"));
    EXPECT_THAT(content(folder / "said"), HasSubstr("1 gap."));
}

// Sensors, ranges and promises: what `cmr score` says of a file, word for word.
TEST_F(ScoreStream, SaysOfSensorsAndRangesWhatItSaysOfAFile) {
    std::ofstream file(folder / "sick.csv");
    for (size_t i = 0; const std::string& row : rows()) {
        std::string changed = row;
        if (i >= 102 && i < 302) changed.replace(changed.rfind(';'), std::string::npos, ";0,5\n");  // z stands still
        if (i >= 402)  // a is where it never was
            changed.replace(changed.find(';'), changed[changed.find(';') + 1] == '-' ? 2 : 1, ";900");
        file << changed;
        ++i;
    }
    file.close();
    const CommandResult of_file = cmr("score plant.cmr sick.csv --out file.csv");
    ASSERT_EQ(of_file.exit_code, 0) << of_file.output;
    const CommandResult of_stream = shell("cmr score plant.cmr - --out stream.csv < sick.csv");
    ASSERT_EQ(of_stream.exit_code, 0) << of_stream.output;
    int told = 0;
    std::istringstream lines(of_file.output);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("Sick sensor: ") || line.starts_with("Outside the learned range")) {
            EXPECT_THAT(of_stream.output, HasSubstr(line));
            ++told;
        }
    EXPECT_GE(told, 2) << of_file.output;
    EXPECT_THAT(of_stream.output, HasSubstr("Sick sensor: z frozen"));
    const auto is_void = [](const CommandResult& result) {
        return result.output.find("Promise void since") < std::string::npos;
    };
    EXPECT_EQ(is_void(of_file), is_void(of_stream));
    const Json json = Json::parse(shell("cmr score plant.cmr - --out stream.csv --json < sick.csv").output);
    const Json wanted = Json::parse(cmr("score plant.cmr sick.csv --out file.csv --json").output);
    for (const char* key : {"sick_sensors", "outside_range", "outside_range_alarms", "windows", "alarms"})
        EXPECT_EQ(json.at(key), wanted.at(key)) << key;
}

TEST_F(ScoreStream, AWrongNameSpoilsNoOldResult) {
    std::ofstream(folder / "old.csv") << "what was found before\n";
    expect_refused("score plant.cmr --follow absent.csv --out old.csv", {"absent.csv: cannot open"});
    EXPECT_EQ(content(folder / "old.csv"), "what was found before\n");
}

TEST_F(ScoreStream, DestroysNothingThatItReads) {
    for (const char* command :
         {"score plant.cmr - --out data/faulty.csv < data/faulty.csv",
          "score plant.cmr - --out plant.cmr < data/faulty.csv",
          "score plant.cmr --follow data/faulty.csv --out data/faulty.csv",
          "score plant.cmr data/faulty.csv --out data/../data/faulty.csv", "score plant.cmr --out data/faulty.csv",
          "score plant.cmr data/faulty.csv --out plant.cmr"}) {
        const std::string rows = content(folder / "data/faulty.csv"), model = content(folder / "plant.cmr");
        expect_refused(command, {"writing it would destroy it"});
        EXPECT_EQ(content(folder / "data/faulty.csv"), rows) << command;
        EXPECT_EQ(content(folder / "plant.cmr"), model) << command;
    }
}

// A clock that trembles cuts the recording where no row is missing: seven windows of ten are left.
TEST_F(ScoreStream, WindowsLostToUnevenStepsAreCounted) {
    std::ofstream file(folder / "uneven.csv");
    for (int i = -2; std::string row : rows()) {
        if (i == 320) break;
        if (i % 40 == 21) row.insert(row.find(';'), ".4");
        file << row;
        ++i;
    }
    file.close();
    const CommandResult result = cmr("score plant.cmr uneven.csv --out uneven.scores --set data.time.max_step_s=1.3");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("uneven.scores: 7 windows"));
    EXPECT_THAT(result.output, HasSubstr("3 windows left out: there are gaps."));
}

// Opened once, so that it does not matter that it cannot be read twice.
TEST_F(ScoreStream, PipesAreReadOnce) {
    const CommandResult result =
        shell("mkfifo pipe && (cat data/faulty.csv > pipe &) && timeout 60 cmr score plant.cmr pipe --out pipe.scores");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(content(folder / "pipe.scores"), expected("pipe"));
    const CommandResult json = shell(
        "bash -c 'gzip -k data/faulty.csv && timeout 60 cmr score plant.cmr <(zcat data/faulty.csv.gz) --out z "
        "--json'");
    ASSERT_EQ(json.exit_code, 0) << json.output;
    EXPECT_EQ(Json::parse(json.output).at("rows"), 640);
    EXPECT_EQ(lines_of(content(folder / "z")), lines_of(expected("z")));
}

TEST_F(ScoreStream, RowsInTheWrongOrderWaitForOneAnother) {
    std::vector<std::string> lines = rows();
    for (size_t i = 2; i + 1 < lines.size(); i += 2) std::swap(lines[i], lines[i + 1]);
    std::ofstream file(folder / "mixed.csv");
    for (const std::string& line : lines) file << line;
    file.close();
    EXPECT_EQ(shell("cmr score plant.cmr - --lateness-s 2 < mixed.csv 2>said").output, expected("-"));
    EXPECT_THAT(shell("cmr score plant.cmr - < mixed.csv 2>&1 >/dev/null").output,
                HasSubstr("1,280 readings came too late"));
}

TEST_F(ScoreStream, AFileThatGrowsIsFollowedThroughRotationUntilCtrlC) {
    const std::vector<std::string> lines = rows();
    const std::string all = expected("live.csv");
    std::ofstream live(folder / "live.csv");
    const auto write = [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) live << lines[i];
        live.flush();
    };
    const auto windows = [&] { return lines_of(content(folder / "live.scores")) - 1; };
    write(0, 2 + 40);
    Background program(in_folder("exec cmr score plant.cmr --follow live.csv --out live.scores --json"),
                       folder / "said");
    ASSERT_TRUE(wait_until([&] { return windows() == 1; })) << content(folder / "said");
    write(42, 2 + 63);
    live << lines[65].substr(0, 25);  // a row is being written
    live.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(windows(), 1);
    live << lines[65].substr(25);
    live.flush();
    ASSERT_TRUE(wait_until([&] { return windows() == 2; })) << "rows 32 to 63";

    std::filesystem::rename(folder / "live.csv", folder / "live.csv.1");
    write(66, 2 + 70);  // into the renamed file
    live.close();
    live.open(folder / "live.csv");
    write(0, 2);
    write(72, 2 + 100);
    ASSERT_TRUE(wait_until([&] { return windows() == 3; })) << content(folder / "said");
    std::filesystem::resize_file(folder / "live.csv", 0);
    live.close();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    live.open(folder / "live.csv");
    write(0, 2);
    write(102, lines.size());
    ASSERT_TRUE(wait_until([&] { return windows() == lines_of(all) - 1; })) << content(folder / "said");
    program.tell(SIGINT);
    EXPECT_EQ(program.wait(), 0);
    EXPECT_EQ(content(folder / "live.scores"), all);
    EXPECT_EQ(Json::parse(content(folder / "said")).at("rows"), 640);
}

TEST_F(ScoreStream, MemoryStaysTheSame) {
    const auto peak = [&](int64_t rows) {
        Background program(
            in_folder(fmt::format("awk 'BEGIN {{ print \"time;a;b;y;z\"; for (i = 0; i < {}; ++i) "
                                  "print i \";0,\" i % 7 \";0,\" i % 5 \";1,\" i % 3 \";2,\" i % 11 }}' | "
                                  "cmr score plant.cmr - > /dev/null",
                                  rows)),
            folder / "said");
        EXPECT_EQ(program.wait(), 0) << content(folder / "said");
        return program.peak_bytes();
    };
    const int64_t small = peak(20'000), large = peak(400'000);
    EXPECT_LT(large, small + (4 << 20)) << "twenty times the rows";
}

TEST_F(ScoreStream, AMadeChannelIsAColumnOfItsName) {
    std::string recipe = content(folder / "plant.toml");
    recipe +=
        "\n[[channels]]\nrole = \"effect\"\ngroup = \"made\"\nmade = \"difference\"\nnames = [\"y less a\"]\n"
        "columns = [\"y\", \"a\"]\n";
    std::ofstream(folder / "plant.toml") << recipe;
    test::fit_plant(folder.path());
    expect_refused("score plant.cmr - < data/faulty.csv", {"'y less a' is made from others", "a column of that name"});
    std::ofstream file(folder / "made.csv");
    for (const std::string& row : rows()) {
        const std::string line = row.substr(0, row.size() - 1);
        const std::vector<std::string> cells = [&] {
            std::vector<std::string> out;
            std::istringstream fields(line);
            for (std::string cell; std::getline(fields, cell, ';');) {
                std::ranges::replace(cell, ',', '.');
                out.push_back(cell);
            }
            return out;
        }();
        if (cells.size() < 5) {
            file << row;
        } else if (cells[0] == "time") {
            file << line << ";y less a\n";
        } else {
            std::string made = fmt::format("{}", std::stof(cells[3]) - std::stof(cells[1]));
            std::ranges::replace(made, '.', ',');
            file << line << ';' << made << '\n';
        }
    }
    file.close();
    const CommandResult result = shell("cmr score plant.cmr - < made.csv 2>said");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.output, expected("-"));
}

TEST_F(ScoreStream, WhatCannotBeIsRefused) {
    std::ofstream slow(folder / "slow.csv");
    slow << "time;a;b;y;z\n";
    for (int i = 0; i < 20; ++i) slow << 10 * i << ";1;2;3;4\n";
    slow.close();
    std::ofstream more(folder / "more.csv");  // than one block tells the rate by
    more << "time;a;b;y;z\n";
    for (int i = 0; i < 2000; ++i) more << 2 * i << ";1;2;3;4\n";
    more.close();
    expect_refused("score plant.cmr --follow", {"--follow", "say which file"});
    expect_refused("score plant.cmr - --follow < data/faulty.csv", {"standard input goes on by itself"});
    expect_refused("score plant.cmr - < /dev/null", {"-: holds no rows"});
    expect_refused("score plant.cmr - --lateness-s -1 < data/faulty.csv", {"lateness"});
    expect_refused("score plant.cmr - --set data.read.decimal=point < slow.csv",
                   {"-: the rows are 10 s apart, but rate_hz = 1 means 1 s"});
    expect_refused("score plant.cmr - --set data.read.decimal=point < more.csv",
                   {"-: the rows are 2 s apart, but rate_hz = 1 means 1 s"});
    expect_refused("score plant.cmr --follow absent.csv", {"absent.csv: cannot open"});
    expect_refused("score plant.cmr - < plant.cmr", {"-", "binary"});
    expect_refused("inspect - < data/faulty.csv", {"a pipe can be read but once"});
    EXPECT_THAT(shell("bash -c 'cmr inspect <(cat data/faulty.csv) 2>&1'").output, HasSubstr("write it to a file"));
    EXPECT_THAT(cmr("score plant.cmr - < plant.toml").output, HasSubstr("-"));
}

}  // namespace
}  // namespace cmr
