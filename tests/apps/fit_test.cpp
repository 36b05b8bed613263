// `cmr fit` as a user meets it: stopped, killed, out of room, and what the other verbs make of its model.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "apps/program.h"
#include "base/rng.h"

namespace cmr {
namespace {

using test::CommandResult;
using test::content;
using test::lines_of;
using testing::HasSubstr;
using testing::Not;

struct FitProgram : testing::Test, test::Program {
    void SetUp() override {
        if (!trains()) GTEST_SKIP() << "built without training";
    }

    void write_rows(const std::string& name, int rows, bool faulty) const {
        test::write_plant_rows(folder / name, rows, faulty, faulty ? 2 : 1);
    }
    // Starts a longer training, and interrupts it as soon as two more epochs are done.
    CommandResult interrupted_fit(const std::string& signal = "INT") const {
        return shell(
            fmt::format("{{ lines() {{ cat plant.cmr.log.jsonl 2>/dev/null | wc -l; }}; before=$(lines); "
                        "cmr fit plant.toml {} 2>&1 & "
                        "for i in $(seq 600); do [ $(lines) -ge $((before + 2)) ] && break; sleep 0.05; done; "
                        "kill -{} $!; wait $!; }}",
                        kLonger, signal));
    }
    std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            names.insert(entry.path().filename().string());
        return names;
    }

    static constexpr const char* kLonger = "--set train.max_epochs=40 --set train.patience=40";
    const std::set<std::string> given = {"data", "plant.toml"};
};

// --- A run that ends
// --------------------------------------------------------------------------------------------------

TEST_F(FitProgram, LeavesAModelAndALineOfItsLogPerEpoch) {
    const CommandResult result = shell("cmr fit plant.toml --json 2>/dev/null");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json.at("model"), "plant.cmr");
    EXPECT_EQ(json.at("epochs"), 15);
    EXPECT_LT(json.at("validation_loss"), json.at("untrained_loss"));
    EXPECT_EQ(files(), (std::set<std::string>{"data", "plant.toml", "plant.cmr", "plant.cmr.log.jsonl"}));
    std::istringstream log(content(folder / "plant.cmr.log.jsonl"));
    int64_t epoch = 0;
    for (std::string line; std::getline(log, line);) EXPECT_EQ(nlohmann::json::parse(line).at("epoch"), ++epoch);
    EXPECT_EQ(epoch, 15);
}

TEST_F(FitProgram, TellsHowLongItWillTake) {
    const CommandResult result = cmr("fit plant.toml");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, testing::ContainsRegex("at most 15 epochs; needs up to [0-9]+ MB of memory\n"));
    EXPECT_THAT(result.output,
                testing::ContainsRegex("plant: will take about [0-9.e-]+ s an epoch, at most [0-9.e-]+ s\n"));
    EXPECT_THAT(result.output, testing::ContainsRegex("plant: about [0-9.e-]+ s an epoch, at most [0-9.e-]+ s more\n"));
    EXPECT_THAT(result.output, testing::ContainsRegex("plant: trained in [0-9.]+ s; now fitting the detector on"));
    size_t times = 0;
    for (size_t at = 0; (at = result.output.find("an epoch", at)) != std::string::npos; ++at) ++times;
    EXPECT_EQ(times, 2u) << "before it starts, and once more";
}

TEST_F(FitProgram, GivesTheSameBytesForAnyNumberOfThreads) {
    for (const int threads : {1, 2}) {
        const CommandResult result =
            shell(fmt::format("CMR_THREADS={0} cmr fit plant.toml --out {0}.cmr 2>&1", threads));
        ASSERT_EQ(result.exit_code, 0) << result.output;
    }
    EXPECT_TRUE(content(folder / "1.cmr") == content(folder / "2.cmr"));
}

// --- A run that is stopped ------------------------------------------------------------------------------------------

TEST_F(FitProgram, KilledAtAnyTimeEndsWithTheSameBytes) {
    const auto start = std::chrono::steady_clock::now();
    must("fit plant.toml --out whole.cmr");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string whole = content(folder / "whole.cmr");
    ASSERT_FALSE(whole.empty());
    Rng rng(std::random_device{}());
    for (int kills = 0; kills < 5;) {
        const std::string after = fmt::format("{:.3f}", seconds * rng.uniform(0.3, 1.0));
        const CommandResult result = shell("timeout -s KILL " + after + " cmr fit plant.toml --out model.cmr 2>&1");
        kills += result.exit_code != 0;
        if (std::filesystem::exists(folder / "model.cmr")) {
            EXPECT_TRUE(content(folder / "model.cmr") == whole) << "killed after " << after << " s";
            std::filesystem::remove(folder / "model.cmr");
            ++kills;
        }
    }
    must("fit plant.toml --out model.cmr");
    EXPECT_TRUE(content(folder / "model.cmr") == whole);
    EXPECT_EQ(lines_of(content(folder / "model.cmr.log.jsonl")), 15);
    EXPECT_FALSE(std::filesystem::exists(folder / "model.cmr.part"));
}

TEST_F(FitProgram, InterruptedSaysThatTheSameCommandGoesOn) {
    for (const char* signal : {"INT", "TERM"}) {
        const CommandResult stopped = interrupted_fit(signal);
        EXPECT_EQ(stopped.exit_code, signal == std::string("INT") ? 130 : 143) << stopped.output;
        EXPECT_THAT(stopped.output, HasSubstr("epochs; the same command goes on from there (plant.cmr.part)"));
        EXPECT_FALSE(std::filesystem::exists(folder / "plant.cmr"));
    }
    const CommandResult resumed = cmr(fmt::format("fit plant.toml {}", kLonger));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
    EXPECT_THAT(resumed.output, HasSubstr("plant: goes on after epoch"));
    std::istringstream log(content(folder / "plant.cmr.log.jsonl"));
    int64_t epoch = 0;
    for (std::string line; std::getline(log, line);) EXPECT_EQ(nlohmann::json::parse(line).at("epoch"), ++epoch);
    EXPECT_EQ(epoch, 40);
}

TEST_F(FitProgram, DoesNotGoOnWithOtherSettingsOrOtherData) {
    ASSERT_EQ(interrupted_fit().exit_code, 130);
    const auto refused = [&](const std::string& arguments) {
        const CommandResult result = cmr(fmt::format("fit plant.toml {} {}", kLonger, arguments));
        EXPECT_EQ(result.exit_code, 2) << result.output;
        EXPECT_THAT(result.output, HasSubstr("plant.cmr.part: an unfinished run"));
        EXPECT_THAT(result.output, HasSubstr("--restart"));
    };
    refused("--seed 7");
    refused("--set model.width=24");
    std::string rows = content(folder / "data/healthy.csv");
    rows.resize(rows.rfind('\n', rows.size() * 9 / 10) + 1);  // whole rows
    std::ofstream(folder / "data/healthy.csv") << rows;
    refused("");
    must("fit plant.toml --restart");
    rows.resize(rows.size() - 12);  // in the middle of a row
    std::ofstream(folder / "data/healthy.csv") << rows;
    const CommandResult cut = cmr("fit plant.toml");
    EXPECT_EQ(cut.exit_code, 2) << cut.output;
    EXPECT_THAT(cut.output, HasSubstr("healthy.csv"));
}

// How windows are scored is not what the network has learned.
TEST_F(FitProgram, GoesOnWithOtherScores) {
    ASSERT_EQ(interrupted_fit().exit_code, 130);
    const CommandResult result = cmr(fmt::format("fit plant.toml {} --set score.k=3", kLonger));
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("plant: goes on after epoch"));
}

TEST_F(FitProgram, DoesNotGoOnFromADamagedCheckpoint) {
    ASSERT_EQ(interrupted_fit().exit_code, 130);
    std::filesystem::resize_file(folder / "plant.cmr.part", 5000);
    const CommandResult damaged = cmr(fmt::format("fit plant.toml {}", kLonger));
    EXPECT_EQ(damaged.exit_code, 2) << damaged.output;
    EXPECT_THAT(damaged.output, HasSubstr("plant.cmr.part"));
    EXPECT_THAT(damaged.output, HasSubstr("--restart"));
}

// --- Nowhere to write -----------------------------------------------------------------------------------------------

TEST_F(FitProgram, SaysBeforeItTrainsThatItCannotWriteThere) {
    for (const char* out : {"none/model.cmr", "/proc/model.cmr", "data", "data/"}) {
        const CommandResult result = cmr(fmt::format("fit plant.toml --out {}", out));
        EXPECT_EQ(result.exit_code, 2) << result.output;
        EXPECT_THAT(result.output, HasSubstr(out));
        EXPECT_THAT(result.output, Not(HasSubstr("training"))) << "too late";
        EXPECT_EQ(files(), given) << out;
    }
}

TEST_F(FitProgram, DestroysNothingThatItReads) {
    std::filesystem::create_symlink("data/healthy.csv", folder / "link.csv");
    for (const char* out : {"plant.toml", "./plant.toml", "data/healthy.csv", "link.csv"}) {
        const std::string before = content(folder / out);
        const CommandResult result = cmr(fmt::format("fit plant.toml --out {}", out));
        EXPECT_EQ(result.exit_code, 2) << result.output;
        EXPECT_THAT(result.output, HasSubstr("writing it would destroy it"));
        EXPECT_EQ(content(folder / out), before);
    }
}

TEST_F(FitProgram, NamesAScoreThatThereIsNotBeforeItTrains) {
    const CommandResult result = cmr("fit --set 'score.only=[\"laged\"]' plant.toml");
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr("laged"));
    EXPECT_THAT(result.output, Not(HasSubstr("training")));
    EXPECT_EQ(files(), given);
}

TEST_F(FitProgram, SaysBeforeItTrainsThatTheWindowsAreTooFew) {
    for (const auto& [setting, words] :
         {std::pair{"score.blocks=50", "85 healthy windows, expected at least 100 to leave out 50 blocks in turn"},
          {"score.k=100", "k = 100: expected 1 to 85, the number of vectors in the bank"}}) {
        const CommandResult result = cmr(fmt::format("fit plant.toml --set {}", setting));
        EXPECT_EQ(result.exit_code, 2) << result.output;
        EXPECT_THAT(result.output, HasSubstr(words));
        EXPECT_THAT(result.output, Not(HasSubstr("epoch")));
        EXPECT_EQ(files(), given);
    }
    // Where no score looks for neighbours, there need not be as many.
    must("fit plant.toml --method untrained --set score.k=100 --set 'score.only=[\"lagged\"]'");
}

TEST_F(FitProgram, LeavesNothingWhereTheDataAreMissing) {
    std::filesystem::remove(folder / "data/healthy.csv");
    EXPECT_EQ(cmr("fit plant.toml").exit_code, 2);
    EXPECT_EQ(files(), given);
}

TEST_F(FitProgram, LeavesNothingHalfWrittenOnAFullDisk) {
    // No file may grow beyond 64 KB, of which the checkpoint needs several times as much.
    const CommandResult result = shell("bash -c \"trap '' XFSZ; ulimit -f 64; cmr fit plant.toml\" 2>&1");
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, HasSubstr("plant.cmr.part: cannot write: File too large"));
    EXPECT_EQ(files(), given);
    must("fit plant.toml");
}

TEST_F(FitProgram, SaysSoWhenItsResultCannotBeWritten) {
    const CommandResult result = shell("cmr fit plant.toml 2>&1 >/dev/full");
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.output, HasSubstr("cannot write the result: No space left on device"));
}

// --- Its model ------------------------------------------------------------------------------------------------------

TEST_F(FitProgram, GivesAModelThatScoresAndEvaluates) {
    must("fit plant.toml");
    const CommandResult scored = shell("cmr score plant.cmr --out 1.csv --json");
    ASSERT_EQ(scored.exit_code, 0) << scored.output;
    EXPECT_EQ(nlohmann::json::parse(scored.output).at("windows"), (kHealthy + kFaulty) / kLength);
    const std::string first = content(folder / "1.csv");
    EXPECT_EQ(lines_of(first), 1 + (kHealthy + kFaulty) / kLength);
    for (const char* threads : {"1", "2", "3"}) {
        shell(fmt::format("CMR_THREADS={} cmr score plant.cmr --out again.csv", threads));
        EXPECT_TRUE(content(folder / "again.csv") == first) << threads << " threads";
    }
    EXPECT_EQ(lines_of(shell("cmr score plant.cmr data/faulty.csv 2>/dev/null").output), 1 + kFaulty / kLength);

    const CommandResult judged = shell("cmr eval 1.csv --json");
    ASSERT_EQ(judged.exit_code, 0) << judged.output;
    const auto json = nlohmann::json::parse(judged.output);
    EXPECT_EQ(json.at("faulty"), kFaulty / kLength);
    EXPECT_GT(json.at("scores").at("combined").at("auroc").at("mean"), 0.9);
}

TEST_F(FitProgram, GivesAModelOfEveryMethodThatScoresAndEvaluates) {
    for (const std::string method : {"untrained", "ae", "vae", "usad", "svdd", "anomaly-transformer"}) {
        must("fit plant.toml --method " + method + " --set train.max_epochs=8 --set train.rival_rate=3e-3");
        must("score plant.cmr --out scores.csv");
        const CommandResult judged = shell("cmr eval scores.csv --json");
        ASSERT_EQ(judged.exit_code, 0) << judged.output;
        const auto scores = nlohmann::json::parse(judged.output).at("scores");
        EXPECT_TRUE(scores.contains("knn")) << method;
        EXPECT_EQ(scores.contains("native"), method != "untrained") << method;
        EXPECT_EQ(scores.contains("residual"), method == "untrained") << method;
        for (const char* control : {"marginal", "pca", "pca-t2", "raw-knn", "isolation-forest", "lagged", "dynamic",
                                    "drift", "dpca", "cva", "random"})
            EXPECT_TRUE(scores.contains(control)) << control;
        EXPECT_GT(scores.at("combined").at("auroc").at("mean"), 0.9) << method;
        must("explain plant.cmr");
    }
}

TEST_F(FitProgram, RefusesAMethodItDoesNotKnowOrThatDoesNotFitIntoMemory) {
    const CommandResult unknown = cmr("fit plant.toml --method cnn");
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.output, HasSubstr("anomaly-transformer"));
    const CommandResult large = cmr("fit plant.toml --method anomaly-transformer --set train.memory_gb=0.21");
    EXPECT_EQ(large.exit_code, 2);
    EXPECT_THAT(large.output, HasSubstr("of memory, more than the 0.21 GB of train.memory_gb"));
    // Two causes now and 390 samples before: the regression on these takes more than the windows.
    const std::string lagged =
        "fit plant.toml --method untrained --set model.effect_input=both --set window.length=400 --set "
        "window.stride=10 "
        "--set split.purge=0 --set split.validation_fraction=0.4 --set train.memory_gb=0.4 --set score.lags=";
    const CommandResult many = cmr(lagged + "390");
    EXPECT_EQ(many.exit_code, 2);
    EXPECT_THAT(many.output, HasSubstr("of memory, more than the 0.4 GB of train.memory_gb"));
    const CommandResult all = cmr(lagged + "400");
    EXPECT_THAT(all.output, HasSubstr("400 samples before each do not fit into a window of 400"));
    const CommandResult pooled = cmr("fit plant.toml --method ae --set score.pooling=effect+cause");
    EXPECT_EQ(pooled.exit_code, 2);
    EXPECT_THAT(pooled.output, HasSubstr("plant.toml: score.pooling: effect+cause needs cause embeddings"));
    EXPECT_EQ(files(), given);
}

TEST_F(FitProgram, GivesAModelThatPromisesWhatItsHealthyDaysSupport) {
    write_rows("data/healthy.csv", 16000, false);
    must("fit plant.toml --set train.max_epochs=3");
    const CommandResult rare = cmr("calibrate plant.cmr --false-alarms-per-day 0.1 --out rare.cmr");
    EXPECT_EQ(rare.exit_code, 2) << rare.output;
    EXPECT_THAT(rare.output, HasSubstr("cannot be promised"));
    EXPECT_FALSE(std::filesystem::exists(folder / "rare.cmr"));
    const CommandResult often = shell("cmr calibrate plant.cmr --false-alarms-per-day 100 --out often.cmr --json");
    ASSERT_EQ(often.exit_code, 0) << often.output;
    EXPECT_TRUE(nlohmann::json::parse(often.output).contains("threshold"));
    EXPECT_EQ(cmr("score often.cmr --out often.csv").exit_code, 0);
}

TEST_F(FitProgram, GivesAModelThatIsRefusedWhenDamaged) {
    must("fit plant.toml");
    const std::string whole = content(folder / "plant.cmr");
    const auto expect_refused = [&](const std::string& bytes, const std::string& what) {
        std::ofstream(folder / "damaged.cmr", std::ios::binary) << bytes;
        const CommandResult result = cmr("score damaged.cmr --out none.csv");
        EXPECT_EQ(result.exit_code, 2) << what << ": " << result.output;
        EXPECT_THAT(result.output, HasSubstr("damaged.cmr"));
        EXPECT_THAT(result.output, Not(HasSubstr("This is a bug"))) << what;
    };
    for (const double share : {0.0, 0.001, 0.1, 0.5, 0.9999}) {
        const auto size = static_cast<size_t>(share * static_cast<double>(whole.size()));
        expect_refused(whole.substr(0, size), fmt::format("cut to {} bytes", size));
    }
    for (const double share : {0.01, 0.3, 0.5, 0.7, 0.99}) {
        std::string bytes = whole;
        const auto position = static_cast<size_t>(share * static_cast<double>(whole.size()));
        bytes[position] = static_cast<char>(bytes[position] ^ 1);
        expect_refused(bytes, fmt::format("a bit of byte {} turned", position));
    }
}

}  // namespace
}  // namespace cmr
