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
