#include "score/calibrate/gamma.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cmr::score {
namespace {

TEST(Gamma, HasTheValuesOfTheTables) {
    EXPECT_NEAR(gamma_cdf(1, 2.0), 1 - std::exp(-2.0), 1e-14) << "shape 1 is exponential";
    EXPECT_NEAR(gamma_cdf(0.5, 0.5), std::erf(std::sqrt(0.5)), 1e-14) << "shape 1/2 is half a squared normal";
    EXPECT_NEAR(gamma_cdf(0.5, 4.5), std::erf(std::sqrt(4.5)), 1e-14);
    EXPECT_NEAR(gamma_cdf(3, 2.5), 1 - std::exp(-2.5) * (1 + 2.5 + 3.125), 1e-14) << "Poisson: less than 3 at mean 2.5";
    EXPECT_NEAR(gamma_cdf(3, 7.5), 1 - std::exp(-7.5) * (1 + 7.5 + 28.125), 1e-14);
    // Chi-squared with 10 and 12 degrees of freedom.
    EXPECT_NEAR(2 * gamma_quantile(5, 0.025), 3.24697, 1e-5);
    EXPECT_NEAR(2 * gamma_quantile(6, 0.975), 23.33666, 1e-5);
    EXPECT_EQ(gamma_cdf(2, 0), 0);
}

TEST(Gamma, QuantileInvertsTheDistributionForSmallAndLargeShapes) {
    for (const double shape : {0.1, 0.3, 1.0, 2.5, 40.0, 3e3, 1e6})
        for (const double probability : {0.025, 0.5, 0.975})
            EXPECT_NEAR(gamma_cdf(shape, gamma_quantile(shape, probability)), probability, 1e-8) << "shape " << shape;
    EXPECT_NEAR(gamma_quantile(1e6, 0.975), 1e6 + 1.96 * 1e3, 3.0) << "nearly normal";
}

}  // namespace
}  // namespace cmr::score
