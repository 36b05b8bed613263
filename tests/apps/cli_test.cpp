// Runs the built program as a user would. CMR_BIN names the folder it stands in; ctest sets it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/rng.h"
#include "base/version.h"
#include "support/run_command.h"
#include "support/small_plant.h"
#include "support/temporary_folder.h"

namespace cmr {
namespace {

using test::CommandResult;
using test::run_command;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string program() {
    const char* folder = std::getenv("CMR_BIN");
    if (!folder) throw std::runtime_error("CMR_BIN must name the folder of the built programs");
    return fmt::format("'{}/cmr'", folder);
}

CommandResult cmr(const std::string& arguments, const std::string& environment = "") {
    return run_command(fmt::format("{} {} {} 2>&1", environment, program(), arguments));
}

TEST(Cli, AloneTeaches) {
    const CommandResult alone = cmr("");
    EXPECT_EQ(alone.exit_code, 0);
    for (const char* words : {"Usage: cmr", "VERB", "info", "Begin with:", "CMR_THREADS", "Exit code"})
        EXPECT_THAT(alone.output, HasSubstr(words));
    EXPECT_EQ(cmr("--help").output, alone.output);
    EXPECT_EQ(cmr("--help").exit_code, 0);
}

TEST(Cli, ExplainsEachVerb) {
    const CommandResult help = cmr("info --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.output, HasSubstr("cmr info [OPTIONS]"));
    EXPECT_THAT(help.output, HasSubstr("--json"));
}

TEST(Cli, TellsItsVersion) {
    const CommandResult said = cmr("--version");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.output, fmt::format("cmr {}\n", version()));
}

TEST(Cli, SuggestsTheNearestVerb) {
    const CommandResult slip = cmr("inof");
    EXPECT_EQ(slip.exit_code, 2);
    EXPECT_EQ(slip.output, "cmr: there is no verb 'inof'; did you mean `cmr info`? `cmr --help` lists the verbs\n");
    const CommandResult nonsense = cmr("xyzzy");
    EXPECT_EQ(nonsense.exit_code, 2);
    EXPECT_EQ(nonsense.output, "cmr: there is no verb 'xyzzy'; `cmr --help` lists the verbs\n");
    EXPECT_EQ(cmr("''").exit_code, 2);
}

TEST(Cli, RefusesUnknownArguments) {
    for (const char* arguments : {"info --jsn", "info more", "info --json=maybe"}) {
        const CommandResult result = cmr(arguments);
        EXPECT_EQ(result.exit_code, 2) << arguments;
        EXPECT_THAT(result.output, HasSubstr("see `cmr info --help`"));
    }
    const CommandResult option = cmr("--nonsense");
    EXPECT_EQ(option.exit_code, 2);
    EXPECT_THAT(option.output, HasSubstr("--nonsense"));
    EXPECT_THAT(option.output, HasSubstr("see `cmr --help`"));
}

TEST(Cli, SaysSoWhenItsResultCannotBeWritten) {
    const CommandResult result = run_command(program() + " info 2>&1 >/dev/full");
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.output, HasSubstr("cannot write the result: No space left on device"));
}

TEST(Info, IsATableForPeople) {
    const CommandResult info = cmr("info");
    EXPECT_EQ(info.exit_code, 0);
    for (const char* label : {"cmr ", "build ", "kernels ", "precision ", "AMX ", "threads ", "fmt ", "nlohmann_json ",
                              "CLI11 ", "libtorch "})
        EXPECT_THAT(fmt::format("\n{}", info.output), HasSubstr(fmt::format("\n{}", label)));
}

TEST(Info, IsJsonForPrograms) {
    const CommandResult result = run_command(program() + " info --json");
    ASSERT_EQ(result.exit_code, 0);
    const auto info = nlohmann::json::parse(result.output);
    EXPECT_EQ(info.at("version"), version());
    EXPECT_GE(info.at("threads"), 1);
    EXPECT_THAT(info.at("kernels").at("available"), Contains("portable"));
    EXPECT_THAT(info.at("kernels").at("available"), Contains(info.at("kernels").at("isa")));
    for (const char* library : {"fmt", "nlohmann_json", "CLI11", "libtorch"})
        EXPECT_TRUE(info.at("libraries").contains(library)) << library;
    for (const char* field : {"type", "compiler", "processor"}) EXPECT_NE(info.at("build").at(field), "") << field;
}

TEST(Info, ObeysTheEnvironment) {
    const auto threads = nlohmann::json::parse(cmr("info --json", "CMR_THREADS=3").output);
    EXPECT_EQ(threads.at("threads"), 3);
    const auto isa = nlohmann::json::parse(cmr("info --json", "CMR_ISA=portable").output);
    EXPECT_EQ(isa.at("kernels").at("isa"), "portable");
    EXPECT_EQ(isa.at("precision"), "float32");
    const auto precision = nlohmann::json::parse(cmr("info --json", "CMR_PRECISION=bf16x3").output);
    EXPECT_EQ(precision.at("precision"), "bf16x3");
}

TEST(Info, RefusesAnImpossibleEnvironment) {
    const CommandResult isa = cmr("info", "CMR_ISA=nonsense");
    EXPECT_EQ(isa.exit_code, 2);
    for (const char* words : {"CMR_ISA", "nonsense", "portable", "avx2", "avx512"})
        EXPECT_THAT(isa.output, HasSubstr(words));
    const CommandResult precision = cmr("info", "CMR_PRECISION=half");
    EXPECT_EQ(precision.exit_code, 2);
    EXPECT_THAT(precision.output, HasSubstr("CMR_PRECISION = \"half\" must be float32, bf16x3 or bf16"));
    const CommandResult threads = cmr("info", "CMR_THREADS=none");
    EXPECT_EQ(threads.exit_code, 2);
    EXPECT_THAT(threads.output, HasSubstr("CMR_THREADS=none: expected a number"));
}

// What a user has: a recipe, and beside it data/ with two files.
struct InspectData : testing::Test {
    InspectData() {
        std::filesystem::create_directory(folder / "data");
        std::ofstream healthy(folder / "data/healthy.csv"), faulty(folder / "data/faulty.csv");
        healthy << "time,x,y,still,note\n";
        faulty << "time,x,y,still,note\n";
        Rng rng(1);
        for (int i = 0; i < 2400; ++i) {
            const double x = rng.normal();
            const std::string row = fmt::format("2020-01-01 {:02}:{:02}:{:02},{},{},7,fine\n", i / 3600, i / 60 % 60,
                                                i % 60, x, 2 * x + rng.normal());
            (i < 2000 ? healthy : faulty) << row;
        }
        std::ofstream(folder / "plant.toml") << R"(
name = "plant"
description = "A plant"
data.rate_hz = 1.0
data.time.column = "time"
data.obtain = "Ask the plant for its files."
window = { length = 10, stride = 10 }
split.held_out = "validation+test"
)" << test::kHealthyAndFaulty << R"(
[[channels]]
role = "cause"
group = "causes"
names = ["x", "still"]
[[channels]]
role = "effect"
group = "effects"
names = ["y"]
)";
    }
    CommandResult inspect(const std::string& arguments) const {
        return cmr("inspect " + arguments, fmt::format("cd '{}' && env -u CMR_DATA_ROOT", folder.path().string()));
    }

    test::TemporaryFolder folder;
};

TEST_F(InspectData, OfARecipeIsTablesForPeople) {
    const CommandResult result = inspect("plant.toml");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    for (const char* words : {"plant: A plant", "1 Hz, windows of 10 samples every 10, protocol strict",
                              "To score them all takes about 74 MB of memory.", "Parts\n", "healthy samples", "2,000",
                              "Channels (3)", "0.8", "constant", "1 of 3 channels are constant, 1 effects are coupled",
                              "Windows\n", "leak", "Warnings, the most harmful first\n", "still: never moves"})
        EXPECT_THAT(result.output, HasSubstr(words));
}

TEST_F(InspectData, OfARecipeIsJsonForPrograms) {
    const CommandResult result = inspect("plant.toml --json");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json.at("name"), "plant");
    EXPECT_EQ(json.at("parts").at(0).at("samples").at("healthy"), 2000);
    EXPECT_EQ(json.at("parts").at(1).at("windows").at("faulty"), 40);
    const auto& fold = json.at("folds").at(0);
    EXPECT_EQ(fold.at("train"), 145);  // 170 of 200, of which 15 % validate
    EXPECT_EQ(fold.at("validation"), 25);
    EXPECT_EQ(fold.at("test").at("healthy"), 30);
    EXPECT_EQ(fold.at("strata").at("leak"), 40);
    const auto& channels = json.at("channels");
    EXPECT_EQ(channels.at(1).at("constant"), true);
    EXPECT_TRUE(channels.at(0).at("r2").is_null());
    EXPECT_NEAR(channels.at(2).at("r2").get<double>(), 0.8, 0.05);
    ASSERT_FALSE(json.at("warnings").empty());
    EXPECT_TRUE(json.at("warnings").at(0).at("text").is_string());
}

TEST_F(InspectData, TellsSlowRatesByTheTimeBetweenSamples) {
    EXPECT_THAT(inspect("plant.toml --set data.rate_hz=0.0002777777777777778 --set 'data.time.column=\"\"'").output,
                HasSubstr("\none sample in 1 h, windows of 10 samples"));
}

TEST_F(InspectData, ObeysSettings) {
    const CommandResult result = inspect("plant.toml --json --set window.stride=5 --set split.protocol=paper");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json.at("stride"), 5);
    EXPECT_EQ(json.at("protocol"), "paper");
    EXPECT_EQ(json.at("parts").at(0).at("windows").at("healthy"), 399);
    const CommandResult slip = inspect("plant.toml --set window.strid=5");
    EXPECT_EQ(slip.exit_code, 2);
    EXPECT_THAT(slip.output, HasSubstr("stride"));
}

TEST_F(InspectData, FindsTheDataRootThatIsNamed) {
    std::filesystem::rename(folder / "data", folder / "elsewhere");
    const CommandResult lost = inspect("plant.toml");
    EXPECT_EQ(lost.exit_code, 2);
    for (const char* words : {"no data root", "--data-root", "CMR_DATA_ROOT", "Ask the plant for its files."})
        EXPECT_THAT(lost.output, HasSubstr(words));
    EXPECT_EQ(inspect("plant.toml --data-root elsewhere").exit_code, 0);
    EXPECT_EQ(
        cmr("inspect plant.toml", fmt::format("cd '{}' && CMR_DATA_ROOT=elsewhere", folder.path().string())).exit_code,
        0);
    std::filesystem::remove(folder / "elsewhere/faulty.csv");
    const CommandResult half = inspect("plant.toml --data-root elsewhere");
    EXPECT_EQ(half.exit_code, 2);
    EXPECT_THAT(half.output, HasSubstr("no file for part 'fault'"));
    EXPECT_THAT(half.output, HasSubstr("Ask the plant for its files."));
}

TEST_F(InspectData, OfABareFileNeedsNoRecipe) {
    const CommandResult table = inspect("data/healthy.csv");
    EXPECT_EQ(table.exit_code, 0) << table.output;
    for (const char* words : {"2,000 rows, 3 columns of numbers", "Time in column 'time' from 2020-01-01 00:00:00",
                              "1 Hz", "Columns of text: note", "still: never moves"})
        EXPECT_THAT(table.output, HasSubstr(words));
    const auto json = nlohmann::json::parse(inspect("data/healthy.csv --json").output);
    EXPECT_EQ(json.at("rows"), 2000);
    EXPECT_EQ(json.at("time_column"), "time");
    EXPECT_EQ(json.at("rate_hz"), 1.0);
    EXPECT_EQ(json.at("text_columns").at(0), "note");
    EXPECT_EQ(json.at("channels").size(), 3u);
    const CommandResult settings = inspect("data/healthy.csv --set window.stride=5");
    EXPECT_EQ(settings.exit_code, 2);
    EXPECT_THAT(settings.output, HasSubstr("unknown key 'window'; known are format"));
}

TEST_F(InspectData, NamesWhatItCannotRead) {
    std::ofstream(folder / "broken.npy") << "this is no array";
    for (const char* file : {"none.toml", "none.csv", "broken.npy", "data"}) {
        const CommandResult result = inspect(file);
        EXPECT_EQ(result.exit_code, 2) << result.output;
        EXPECT_THAT(result.output, HasSubstr(file));
        EXPECT_THAT(result.output, Not(HasSubstr("This is a bug")));
    }
    EXPECT_EQ(inspect("").exit_code, 2);
}

// Scoring must start at once and fit a small machine, so nothing may pull these in, directly or through another
// library.
TEST(Program, LinksNeitherTorchNorWhatComesWithIt) {
    const CommandResult libraries = run_command("ldd " + program() + " 2>&1");
    ASSERT_EQ(libraries.exit_code, 0) << libraries.output;
    ASSERT_THAT(libraries.output, HasSubstr("libfmt"));
    for (const char* unwanted : {"torch", "libc10", "gomp", "python", "mkl", "blas", "dnnl"})
        EXPECT_THAT(libraries.output, Not(HasSubstr(unwanted)));
}

TEST(Cli, SelftestTrainsAndScoresHere) {
    if (cmr("info --json").output.find("\"libtorch\": null") != std::string::npos)
        GTEST_SKIP() << "built without training";
    const CommandResult checked = cmr("selftest --json", "CMR_THREADS=2");
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
    const auto json = nlohmann::json::parse(checked.output);
    EXPECT_TRUE(json.at("good").get<bool>());
    for (const auto& isa : json.at("isas")) {
        EXPECT_LT(isa.at("last_loss").get<double>(), isa.at("first_loss").get<double>());
        EXPECT_LE(isa.at("scoring_difference").get<double>(), 1e-5);
    }
}

}  // namespace
}  // namespace cmr
