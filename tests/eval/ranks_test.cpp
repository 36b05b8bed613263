#include "eval/ranks.h"

#include <gmock/gmock.h>

#include "eval/samples.h"

namespace cmr::eval {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Ranks, OrdersKeepEqualValuesAsTheyCame) {
    const test::Values values{7, 5, 7, -test::kInfinity};
    EXPECT_THAT(ascending(values), ElementsAre(3, 1, 0, 2));
    EXPECT_THAT(descending(values), ElementsAre(0, 2, 1, 3));
}

TEST(Ranks, EqualValuesShareTheMeanOfTheirRanks) {
    EXPECT_THAT(mid_ranks(test::Values{7, 5, 9, 7}), ElementsAre(2.5, 1, 4, 2.5));
    EXPECT_THAT(mid_ranks(test::Values{3, 3, 3}), ElementsAre(2, 2, 2));
    EXPECT_THAT(mid_ranks(test::Values{}), IsEmpty());
}

}  // namespace
}  // namespace cmr::eval
