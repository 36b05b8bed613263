#include "score/features/marginal.h"

#include <gtest/gtest.h>

#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

TEST(Marginal, IsTheLargestMeanOfAnEffect) {
    Matrix effects(2, 6);  // two channels of three samples
    effects.values = {1, 2, 3, -4, -5, -6, 1, -1, 0, 0, 0, 3};
    const Matrix deviations = marginal_deviations(effects, Levels::scaled(2));
    EXPECT_EQ(deviations.values, (std::vector<float>{2, 5, 0, 1}));
    EXPECT_EQ(max_of_rows(deviations), (std::vector<float>{5, 1}));
}

TEST(Marginal, IsMeasuredFromTheLevelOfEach) {
    Matrix effects(1, 6);
    effects.values = {1, 2, 3, -4, -5, -6};
    const Levels levels{Eigen::Vector2d(1.5, -6), Eigen::Vector2d(0.25, 2)};
    EXPECT_EQ(marginal_deviations(effects, levels).values, (std::vector<float>{2, 0.5}));
}

TEST(Marginal, SaysWhatIsMissing) {
    test::expect_input_error([] { marginal_deviations(Matrix(1, 4), Levels::scaled(0)); }, {"no effect channel"});
}

}  // namespace
}  // namespace cmr::score
