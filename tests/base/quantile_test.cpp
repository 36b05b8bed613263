#include "base/quantile.h"

#include <gtest/gtest.h>

namespace cmr {
namespace {

TEST(Quantile, MedianIsTheMiddleOneOrTheUpperOfTwo) {
    EXPECT_EQ(median_of(std::vector{3.0}), 3.0);
    EXPECT_EQ(median_of(std::vector{9.0, 1.0, 2.0}), 2.0);
    EXPECT_EQ(median_of(std::vector{9.0f, 1.0f, 4.0f, 2.0f}), 4.0f);
}

TEST(Quantile, QuantileIsOneOfTheSortedNumbers) {
    const std::vector<double> sorted = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(quantile_of(sorted, 0), 0);
    EXPECT_EQ(quantile_of(sorted, 0.55), 5);
    EXPECT_EQ(quantile_of(sorted, 1), 10);
}

}  // namespace
}  // namespace cmr
