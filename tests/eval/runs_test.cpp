#include "eval/runs.h"

#include <gmock/gmock.h>

#include "eval/samples.h"
#include "support/expect_input_error.h"

namespace cmr::eval {
namespace {

using test::Labels;
using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::vector<int64_t>;

TEST(FlaggedRuns, AreAsLongAsTheyCanBe) {
    EXPECT_THAT(flagged_runs(Labels{1, 0, 2, 1, 0, 0, 1}, Numbers(7, 0)),
                ElementsAre(FlaggedRun{0, 1}, FlaggedRun{2, 4}, FlaggedRun{6, 7}));
    EXPECT_THAT(flagged_runs(Labels{0, 0}, Numbers(2, 0)), IsEmpty());
    EXPECT_THAT(flagged_runs(Labels{}, Numbers{}), IsEmpty());
}

TEST(FlaggedRuns, EndWithTheirRecording) {
    EXPECT_THAT(flagged_runs(Labels{0, 1, 1, 1, 1, 0}, Numbers{5, 5, 5, 3, 3, 3}),
                ElementsAre(FlaggedRun{1, 3}, FlaggedRun{3, 5}));
}

TEST(FlaggedRuns, NeedARecordingForEachFlag) {
    test::expect_input_error([] { flagged_runs(Labels{1, 1}, Numbers{0}); }, {"2 samples but 1 recording numbers"});
}

}  // namespace
}  // namespace cmr::eval
