// Runs the built program as a user would. CMR_BIN names the folder it stands in; ctest sets it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/version.h"
#include "support/run_command.h"

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
    const CommandResult version = cmr("--version");
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.output, "cmr " + std::string(kVersion) + "\n");
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
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.output, HasSubstr("cannot write the result: No space left on device"));
}

TEST(Info, IsATableForPeople) {
    const CommandResult info = cmr("info");
    EXPECT_EQ(info.exit_code, 0);
    for (const char* label :
         {"cmr ", "build ", "kernels ", "threads ", "fmt ", "nlohmann_json ", "CLI11 ", "libtorch "})
        EXPECT_THAT(fmt::format("\n{}", info.output), HasSubstr(fmt::format("\n{}", label)));
}

TEST(Info, IsJsonForPrograms) {
    const CommandResult result = run_command(program() + " info --json");
    ASSERT_EQ(result.exit_code, 0);
    const auto info = nlohmann::json::parse(result.output);
    EXPECT_EQ(info.at("version"), kVersion);
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
}

TEST(Info, RefusesAnImpossibleEnvironment) {
    const CommandResult isa = cmr("info", "CMR_ISA=nonsense");
    EXPECT_EQ(isa.exit_code, 2);
    for (const char* words : {"CMR_ISA", "nonsense", "portable", "avx2", "avx512"})
        EXPECT_THAT(isa.output, HasSubstr(words));
    const CommandResult threads = cmr("info", "CMR_THREADS=none");
    EXPECT_EQ(threads.exit_code, 2);
    EXPECT_THAT(threads.output, HasSubstr("CMR_THREADS=none: expected a number"));
}

// Scoring must start at once and fit a small machine, so nothing may pull these in, directly or through another
// library.
TEST(Program, LinksNeitherTorchNorWhatComesWithIt) {
    const CommandResult libraries = run_command("ldd " + program() + " 2>&1");
    ASSERT_EQ(libraries.exit_code, 0) << libraries.output;
    ASSERT_THAT(libraries.output, HasSubstr("libfmt"));
    for (const char* unwanted : {"torch", "c10", "gomp", "python", "mkl", "blas", "protobuf", "dnnl"})
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
