// What goes wrong is told by its cause and has its exit code, in the programs as a user meets them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "program.h"
#include "support/background.h"
#include "support/memory_limit.h"

namespace cmr {
namespace {

using test::Background;
using test::CommandResult;
using test::wait_until;
using testing::HasSubstr;
using testing::Not;

struct Failures : testing::Test, test::Program {};

std::vector<std::string> matches_of(const std::string& text, const std::string& pattern) {
    std::vector<std::string> out;
    const std::regex expression(pattern, std::regex::multiline);
    for (auto at = std::sregex_iterator(text.begin(), text.end(), expression); at != std::sregex_iterator(); ++at)
        out.push_back((*at)[1]);
    return out;
}

// "score --stride", as the help of each verb has them.
std::vector<std::string> numeric_options(const test::Program& program) {
    std::vector<std::string> verbs;
    for (const std::string& verb : matches_of(program.cmr("--help").output, "^  ([a-z]+)  +[A-Z]"))
        if (verb != "simulate") verbs.push_back(verb);
    for (const std::string& kind : matches_of(program.cmr("simulate --help").output, "^  ([a-z]+)  +[A-Z]"))
        verbs.push_back("simulate " + kind);
    std::vector<std::string> out;
    for (const std::string& verb : verbs)
        for (const std::string& option :
             matches_of(program.cmr(verb + " --help").output, "^  (--[a-z-]+) (?:INT|UINT|FLOAT)"))
            out.push_back(verb + " " + option);
    return out;
}

TEST_F(Failures, EveryNumericOptionOfEveryVerbHasItsLimits) {
    const std::vector<std::string> options = numeric_options(*this);
    EXPECT_GE(options.size(), 20u);
    for (const char* known : {"score --stride", "fit --fold", "fit --seed", "calibrate --false-alarms-per-day",
                              "calibrate --release", "study --workers", "demo --seed", "simulate water --scale"})
        EXPECT_THAT(options, testing::Contains(known));
    for (const std::string& option : options) {
        const std::string name = option.substr(option.rfind(' ') + 1);
        for (const char* value : {"-5", "nan", "inf", "1e300", "99999999999999999999", "many", "''"}) {
            const CommandResult result = cmr(fmt::format("{} {}", option, value));
            EXPECT_EQ(result.exit_code, 2) << option << " " << value << ": " << result.output;
            EXPECT_THAT(result.output, HasSubstr(fmt::format("cmr: {}: found ", name))) << value;
            EXPECT_THAT(result.output, HasSubstr("expected a "));
        }
    }
}

TEST_F(Failures, ZeroIsRefusedWhereItMeansNothing) {
    for (const char* option :
         {"score --stride", "calibrate --false-alarms-per-day", "calibrate --release", "study --workers",
          "simulate water --scale", "simulate water --normal-rows", "simulate bearing --runs-per-condition",
          "simulate bearing --seconds", "simulate hydraulic --sample-rate-hz"}) {
        const CommandResult result = cmr(fmt::format("{} 0", option));
        EXPECT_EQ(result.exit_code, 2) << option;
        EXPECT_THAT(result.output, HasSubstr("found 0, expected")) << option;
    }
    for (const char* option : {"fit --fold", "fit --seed", "calibrate --on-delay-s"})
        EXPECT_THAT(cmr(fmt::format("{} 0", option)).output, Not(HasSubstr("found 0"))) << option;
    EXPECT_EQ(cmr("score x.cmr --stride -5").output,
              "cmr: --stride: found -5, expected a whole number from 1 to 1000000000; see `cmr score --help`\n");
}

TEST_F(Failures, AFullDiskIsTheMachinesFaultAndLeavesNothingHalfWritten) {
    for (const char* command : {"simulate hydraulic --scale 0.001 --sample-rate-hz 1 --out made",
                                "simulate water --scale 0.02 --format csv --out made2"}) {
        const CommandResult result = shell(fmt::format("(ulimit -f 1; cmr {} 2>&1)", command));
        EXPECT_EQ(result.exit_code, 3) << result.output;
        EXPECT_THAT(result.output, HasSubstr("cannot write: File too large"));
        EXPECT_THAT(result.output, Not(HasSubstr("bug")));
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
        EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(Failures, TooLittleMemoryIsTheMachinesFault) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    {
        std::ofstream out(folder / "wide.csv");
        for (int row = 0; row < 3; ++row) {
            for (int i = 0; i < 900'000; ++i) out << i % 7 << ',';
            out << "1\n";
        }
    }
    const CommandResult result = shell("(ulimit -v 150000; CMR_THREADS=1 cmr inspect wide.csv 2>&1)");
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, HasSubstr("cmr: out of memory"));
    EXPECT_THAT(result.output, Not(HasSubstr("bug")));
}

TEST_F(Failures, SamplesThatDoNotFitAreRefusedBeforeTheyAreRead) {
    if (!test::kMemoryCanBeLimited) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
    const std::string row = "0.5,0.25,1,2\n";
    {
        std::ofstream out(folder / "data/healthy.csv");
        out << "a,b,y,z\n";
        std::string block;
        for (int i = 0; i < 10'000; ++i) block += row;
        for (int i = 0; i < 800; ++i) out << block;
    }
    const std::string command = "(ulimit -v 140000; CMR_THREADS=1 cmr inspect plant.toml --set data.storage={} 2>&1)";
    const CommandResult memory = shell(fmt::format(fmt::runtime(command), "memory"));
    EXPECT_EQ(memory.exit_code, 3) << memory.output;
    EXPECT_THAT(memory.output, HasSubstr("plant: its samples need about 12"));  // 8 million rows of 4 floats: 128 MB
    EXPECT_THAT(memory.output, HasSubstr("that are free; with `data.storage=disk` they are kept in a file"));
}

TEST_F(Failures, AnInterruptSaysOneLineAndEndsByItsSignal) {
    ASSERT_EQ(mkfifo((folder / "pipe.toml").c_str(), 0600), 0);  // nobody writes
    for (const int signal : {SIGINT, SIGTERM}) {
        Background inspect(in_folder("exec cmr inspect pipe.toml"), folder / "said.txt");
        ASSERT_TRUE(wait_until([&] {  // until its handler is there; the shell before it has none
            std::ifstream file(fmt::format("/proc/{}/status", inspect.pid()));
            for (std::string line; std::getline(file, line);)
                if (const std::string caught = "SigCgt:"; line.starts_with(caught))
                    return (std::stoull(line.substr(caught.size()), nullptr, 16) >> (signal - 1) & 1) == 1;
            return false;
        }));
        inspect.tell(signal);
        EXPECT_EQ(inspect.wait(), 128 + signal);
        EXPECT_EQ(test::content(folder / "said.txt"), "cmr: stopped\n");
    }
}

TEST_F(Failures, ExitCodesAreInTheHelp) {
    for (const char* words : {"2 something in the input needs mending", "3 the machine would not", "1 a bug in cmr",
                              "130 or 143 interrupted"})
        EXPECT_THAT(cmr("--help").output, HasSubstr(words));
}

TEST_F(Failures, CmrWithoutItsTrainingProgramSaysWhatIsMissing) {
    std::filesystem::create_directories(folder / "alone/bin");
    std::filesystem::copy_file(fmt::format("{}/cmr", std::getenv("CMR_BIN")), folder / "alone/bin/cmr");
    const CommandResult result = shell("alone/bin/cmr fit plant.toml 2>&1");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.output, HasSubstr("alone/bin/cmr-train"));
    EXPECT_THAT(result.output, HasSubstr("alone/libexec/cmr/cmr-train"));
    EXPECT_THAT(result.output, HasSubstr("package cmr-train"));
}

}  // namespace
}  // namespace cmr
