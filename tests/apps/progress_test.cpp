#include "progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmr {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

size_t full_cells(const std::string& line) {
    size_t out = 0;
    for (size_t at = line.find("█"); at != std::string::npos; at = line.find("█", at + 1)) ++out;
    return out;
}

TEST(ProgressBar, TellsHowFarAndHowLongStill) {
    const std::string line = ProgressBar::line("reading", 1, 4, /*seconds=*/10.0);
    EXPECT_THAT(line, HasSubstr("reading "));
    EXPECT_THAT(line, HasSubstr(" 25 %"));
    EXPECT_THAT(line, EndsWith("30 s left"));
    EXPECT_EQ(full_cells(line), 7u);  // of 30
}

TEST(ProgressBar, SpeaksOfMinutesAndHoursWhereSecondsAreMany) {
    EXPECT_THAT(ProgressBar::line("x", 1, 2, 59.6), EndsWith("1 min left"));
    EXPECT_THAT(ProgressBar::line("x", 1, 2, 3599.0), EndsWith("59 min 59 s left"));
    EXPECT_THAT(ProgressBar::line("x", 1, 2, 3660.0), EndsWith("1 h 1 min left"));
}

TEST(ProgressBar, PromisesNoTimeBeforeAnythingIsDoneAndNoneAfterAll) {
    for (const auto& [done, total, share] :
         {std::tuple(0, 5, "  0 %"), {5, 5, "100 %"}, {7, 5, "100 %"}, {0, 0, "  0 %"}}) {
        const std::string line = ProgressBar::line("x", done, total, 3.0);
        EXPECT_THAT(line, HasSubstr(share));
        EXPECT_THAT(line, Not(HasSubstr("left")));
    }
    EXPECT_EQ(full_cells(ProgressBar::line("x", 7, 5, 3.0)), 30u);
}

size_t width_of(const std::string& line) {
    return std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

TEST(ProgressBar, FitsTheTerminal) {
    const std::string what = "epoch 12 of at most 200, effect 0.1234, validation 0.2345, 1234 windows/s";
    for (const int columns : {20, 39, 40, 60, 80, 200})
        for (const int done : {0, 1, 99, 100})
            EXPECT_LE(width_of(ProgressBar::line(what, done, 100, 4000.0, columns)), static_cast<size_t>(columns));
    const std::string line = ProgressBar::line("reading the pump's data", 1, 4, 10.0, 39);
    EXPECT_THAT(line, EndsWith("30 s left"));
    EXPECT_THAT(line, testing::StartsWith("reading the"));
    EXPECT_EQ(width_of(line), 39u);
}

TEST(ProgressBar, ShowsEscapesInNames) {
    EXPECT_THAT(ProgressBar::line("reading \033[2Ja.csv", 1, 4, 10.0), HasSubstr("reading \\x1b[2Ja.csv"));
}

TEST(ProgressBar, IsSilentWhereThereIsNoTerminal) {
    testing::internal::CaptureStderr();
    {
        ProgressBar bar("reading");
        for (int i = 0; i <= 10; ++i) bar.update(i, 10);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace cmr
