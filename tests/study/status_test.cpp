#include "study/status.h"

#include <gtest/gtest.h>

#include <cmath>

#include "study/small_run.h"
#include "support/temporary_folder.h"

namespace cmr::study {
namespace {

using test::make_result;
using test::SmallRun;

TEST(Watch, CountsCellsAndExpectsThoseLeftToTakeAsLong) {
    const cmr::test::TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    SmallRun run;
    for (const char* method : {"cmr", "ae"})
        for (int64_t seed = 1; seed <= 3; ++seed) run.add_open(make_result("plant", method, seed, 0, {}));
    Watch watch(folder, run.plan);
    Status status = watch.look();
    EXPECT_EQ(status.cells, 6);
    EXPECT_EQ(status.waiting(), 6);
    EXPECT_TRUE(std::isnan(status.seconds_left)) << "nothing is known";

    Result r = make_result("plant", "cmr", 1, 0, {});  // 10 s of fit and 2 s of scoring
    folder.write_result(r);
    r = make_result("plant", "cmr", 2, 0, {});
    r.status = "failed";
    r.fit_seconds = 0;  // says nothing of the others
    folder.write_result(r);
    const auto claim = folder.claim(run.plan.cells[2]);
    status = watch.look(2);
    EXPECT_EQ(status.done, 1);
    EXPECT_EQ(status.failed, 1);
    EXPECT_EQ(status.running, 1);
    EXPECT_EQ(status.waiting(), 3);
    EXPECT_DOUBLE_EQ(status.seconds_left, 4 * 12.0 / 2);
    EXPECT_EQ(watch.ended().size(), 2u);

    r = make_result("plant", "ae", 1, 0, {});
    r.fit_seconds = 1;
    folder.write_result(r);
    status = watch.look();
    EXPECT_DOUBLE_EQ(status.seconds_left, 12 + 2 * 3.0) << "one of cmr, two of ae, one worker";
    ASSERT_EQ(watch.ended().size(), 1u) << "the news alone";
    EXPECT_EQ(watch.results().size(), 3u);
}

}  // namespace
}  // namespace cmr::study
