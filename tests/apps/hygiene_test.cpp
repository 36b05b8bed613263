// What surrounds a program is not always as it should be: closed descriptors, readers that went away, names with
// escapes, what a killed process left behind.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "program.h"
#include "support/background.h"

namespace cmr {
namespace {

using test::Background;
using test::CommandResult;
using test::wait_until;
using testing::HasSubstr;
using testing::Not;

struct Hygiene : testing::Test, test::Program {
    // The exit code of a command whose standard output or error nobody reads any more.
    std::string code_with_dead_reader(const std::string& command, const char* redirection) const {
        shell(fmt::format("{{ sleep 0.3; {}; echo $? > code.txt; }} {} | true", command, redirection));
        return test::content(folder / "code.txt");
    }
};

TEST_F(Hygiene, ClosedDescriptorsAreNoFiles) {
    EXPECT_EQ(shell("cmr info <&- 2>&-").exit_code, 0);
    // A message does not end up in the file that is written.
    EXPECT_EQ(shell("cmr simulate hydraulic --scale 0.001 --sample-rate-hz 1 --out made <&- >/dev/null 2>&-").exit_code,
              0);
    EXPECT_EQ(shell("cmr simulate hydraulic --scale 0.001 --sample-rate-hz 1 --out same >/dev/null").exit_code, 0);
    EXPECT_EQ(shell("diff -r made same").exit_code, 0);
    EXPECT_EQ(shell("cmr inspect nothing.csv <&- >&- 2>&-").exit_code, 2);
    // A result that cannot be had is a failure.
    const CommandResult lost = shell("cmr info 2>&1 >&-");
    EXPECT_EQ(lost.exit_code, 3);
    EXPECT_THAT(lost.output, HasSubstr("cmr: cannot write the result"));
}

TEST_F(Hygiene, AMessageThatNobodyReadsStopsNothing) {
    EXPECT_EQ(code_with_dead_reader("cmr inspect nothing.csv", "2>&1"), "2\n");
    EXPECT_EQ(code_with_dead_reader("cmr demo --help > help.txt", "2>&1"), "0\n");
    EXPECT_THAT(test::content(folder / "help.txt"), HasSubstr("cmr demo"));
}

TEST_F(Hygiene, AResultThatNobodyReadsEndsAsElsewhere) { EXPECT_EQ(code_with_dead_reader("cmr info", ""), "141\n"); }

TEST_F(Hygiene, AResultTooLargeForItsFileIsTheMachinesFault) {
    const CommandResult result = shell("(ulimit -f 0; cmr info 2>&1 > result.txt)");
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, HasSubstr("cannot write the result: File too large"));
}

// `script` is a terminal.
TEST_F(Hygiene, EscapesInNamesAreShownAndNotSent) {
    std::ofstream(folder / "evil.csv") << "time,\033]0;mine\007\033[2Jpump\n0,1\n1,2\n";
    const CommandResult shown = shell("script -qec 'cmr inspect evil.csv' /dev/null");
    EXPECT_THAT(shown.output, HasSubstr("\\x1b[2Jpump"));
    EXPECT_THAT(shown.output, Not(HasSubstr("\033[2J")));
    EXPECT_THAT(shown.output, Not(HasSubstr("\007")));
    const CommandResult refused = shell("script -qec 'cmr inspect \"$(printf no\\\\033[2Jfile.csv)\"' /dev/null");
    EXPECT_THAT(refused.output, HasSubstr("no\\x1b[2Jfile.csv"));
    EXPECT_THAT(refused.output, Not(HasSubstr("\033[2J")));
    // A file gets the bytes as they are.
    EXPECT_THAT(cmr("inspect evil.csv").output, HasSubstr("\033[2Jpump"));
}

TEST_F(Hygiene, TheSecondOfTwoFitsToOneFileSaysSo) {
    if (!trains()) GTEST_SKIP() << "built without training";
    Background first(in_folder("exec cmr fit plant.toml --set train.max_epochs=100000 --set train.patience=100000"),
                     folder / "said.txt");
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(folder / "plant.cmr.part"); }));
    const CommandResult second = cmr("fit plant.toml");
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_THAT(second.output, HasSubstr("cmr: plant.cmr: another fit is writing it"));
    first.tell(SIGINT);
    EXPECT_EQ(first.wait(), 130);
    EXPECT_FALSE(std::filesystem::exists(folder / "plant.cmr.lock"));
    must("fit plant.toml --restart --set train.max_epochs=1");
}

}  // namespace
}  // namespace cmr
