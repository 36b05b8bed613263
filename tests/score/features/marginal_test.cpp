#include "score/features/marginal.h"

#include <gtest/gtest.h>

#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

TEST(Marginal, IsTheLargestMeanOfAnEffect) {
    Matrix effects(2, 6);  // two channels of three samples
    effects.values = {1, 2, 3, -4, -5, -6, 1, -1, 0, 0, 0, 3};
    const Matrix deviations = marginal_deviations(effects, 2);
    EXPECT_EQ(deviations.values, (std::vector<float>{2, 5, 0, 1}));
    EXPECT_EQ(max_of_rows(deviations), (std::vector<float>{5, 1}));
}

TEST(Marginal, QuantileInterpolatesBetweenScores) {
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2, 5}, 0.5), 3.0);
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2, 5}, 0.95), 4.8);
    EXPECT_DOUBLE_EQ(quantile({7}, 0.95), 7.0);
    EXPECT_DOUBLE_EQ(quantile({1, 2}, 1.0), 2.0);
}

TEST(Marginal, BelowThe95thHealthyPercentileIsStealthy) {
    std::vector<float> healthy;
    for (int i = 0; i <= 100; ++i) healthy.push_back(static_cast<float>(i));
    const StealthRule rule = fit_stealth_rule(healthy);
    EXPECT_TRUE(rule.stealthy(94.9f));
    EXPECT_FALSE(rule.stealthy(95.0f));
}

TEST(Marginal, SaysWhatIsMissing) {
    test::expect_input_error([] { marginal_deviations(Matrix(1, 4), 0); }, {"no effect channel"});
    test::expect_input_error([] { fit_stealth_rule({}); }, {"healthy"});
}

}  // namespace
}  // namespace cmr::score
