#include "score/features/standardizer.h"

#include <gtest/gtest.h>

namespace cmr::score {
namespace {

TEST(Standardizer, GivesHealthyFeaturesMeanZeroAndDeviationOne) {
    Matrix healthy(4, 2);
    healthy.values = {1, 100, 3, 108, 1, 108, 3, 100};  // means 2 and 104, deviations 1 and 4
    const Standardizer scale(healthy);
    EXPECT_EQ(scale(healthy).values, (std::vector<float>{-1, -1, 1, 1, -1, 1, 1, -1}));
}

TEST(Standardizer, DoesNotBlowUpAFeatureThatHardlyMoves) {
    Matrix healthy(2, 2);
    healthy.values = {-10, 0, 10, 1e-6f};
    for (const float value : Standardizer(healthy)(healthy).values) EXPECT_LE(std::abs(value), 1.0f);
    EXPECT_LT(std::abs(Standardizer(healthy)(healthy).values[1]), 1e-3f);
}

}  // namespace
}  // namespace cmr::score
