#include "linear/covariance.h"

#include <gtest/gtest.h>

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;

MatrixXd example() { return (MatrixXd(3, 3) << 2, 0.5, 0.1, 0.5, 1, 0.3, 0.1, 0.3, 0.5).finished(); }

TEST(Covariance, AFloorIsAShareOfTheMeanVariance) {
    const MatrixXd found = floored(example(), 0.1);
    EXPECT_LT((found - example() - MatrixXd::Identity(3, 3) * 0.35 / 3).norm(), 1e-12);
}

// sklearn.covariance.oas of 20 rows that have this covariance.
TEST(Covariance, IsShrunkAsScikitLearnDoes) {
    const MatrixXd found = shrunk(example(), 20);
    const MatrixXd expected = (MatrixXd(3, 3) << 1.61309524, 0.26785714, 0.05357143, 0.26785714, 1.07738095, 0.16071429,
                               0.05357143, 0.16071429, 0.80952381)
                                  .finished();
    EXPECT_LT((found - expected).norm(), 1e-7) << found;
}

TEST(Covariance, IsShrunkLessWithMoreRowsAndFromAFewToItsMeanAlone) {
    EXPECT_LT((shrunk(example(), 1e9) - example()).norm(), 1e-6);
    EXPECT_LT((shrunk(example(), 1) - MatrixXd::Identity(3, 3) * 3.5 / 3).norm(), 1e-12);
    EXPECT_LT((shrunk(2 * MatrixXd::Identity(3, 3), 50) - 2 * MatrixXd::Identity(3, 3)).norm(), 1e-12);
}

TEST(Covariance, RootMakesWhiteAndIsSymmetric) {
    const MatrixXd root = inverse_root(example());
    EXPECT_LT((root * example() * root - MatrixXd::Identity(3, 3)).norm(), 1e-12);
    EXPECT_LT((root - root.transpose()).norm(), 1e-12);
}

// Two channels that are one: the difference is not held to be certain.
TEST(Covariance, RootOfASingularOneIsFinite) {
    const MatrixXd root = inverse_root(MatrixXd::Ones(2, 2));
    EXPECT_NEAR((root * Eigen::Vector2d(1, 1)).norm(), 1.0, 1e-9);
    EXPECT_NEAR((root * Eigen::Vector2d(1, -1)).norm(), std::sqrt(2.0) * 1e3, 1e-3);
}

}  // namespace
}  // namespace cmr::linear
