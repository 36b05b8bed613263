#include "linear/symmetric.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/rng.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd noise(int64_t rows, int64_t columns, uint64_t seed) {
    Rng rng(seed);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

// A V = V E with orthonormal V and ascending E.
void expect_pairs(const MatrixXd& matrix, const std::string& which) {
    const SymmetricEigen found = symmetric_eigen(matrix);
    const int64_t side = matrix.rows();
    ASSERT_EQ(found.values.size(), side) << which;
    const double size = std::max(1e-300, matrix.cwiseAbs().maxCoeff()),
                 tolerance = 1e-14 * static_cast<double>(side + 10);
    for (int64_t i = 1; i < side; ++i) EXPECT_LE(found.values(i - 1), found.values(i)) << which;
    const MatrixXd error = matrix / size * found.vectors - found.vectors * (found.values / size).asDiagonal();
    EXPECT_LT(error.cwiseAbs().maxCoeff(), tolerance) << which;
    const MatrixXd product = found.vectors.transpose() * found.vectors;
    EXPECT_LT((product - MatrixXd::Identity(side, side)).cwiseAbs().maxCoeff(), tolerance) << which;
}

TEST(SymmetricEigen, PairsAreThoseOfTheMatrix) {
    for (const int64_t side : {1, 2, 3, 7, 31, 32, 33, 64, 150, 301}) {
        const MatrixXd half = noise(side, side, 1);
        expect_pairs(half + half.transpose(), "indefinite, side " + std::to_string(side));
        const MatrixXd few = noise(side, std::max<int64_t>(1, side / 3), 2);
        expect_pairs(few * few.transpose(), "of a third of its rank, side " + std::to_string(side));
        expect_pairs(1e150 * (half + half.transpose()), "large, side " + std::to_string(side));
        expect_pairs(1e-150 * (half + half.transpose()), "small, side " + std::to_string(side));
    }
}

TEST(SymmetricEigen, KnowsMatricesThatAreNearlyDone) {
    expect_pairs(MatrixXd::Zero(40, 40), "zero");
    expect_pairs(MatrixXd::Identity(40, 40), "identity");
    expect_pairs(MatrixXd::Ones(40, 40), "ones");
    VectorXd falling(40);
    for (int64_t i = 0; i < 40; ++i) falling(i) = std::pow(10.0, -0.5 * static_cast<double>(i));
    expect_pairs(falling.asDiagonal(), "diagonal, falling by a factor of 3 each");
    const MatrixXd rows = noise(40, 40, 3) * falling.asDiagonal();
    expect_pairs(rows.transpose() * rows, "graded");
    EXPECT_EQ(symmetric_eigen(MatrixXd(0, 0)).values.size(), 0);
}

TEST(SymmetricEigen, ValuesAreKnownByHand) {
    MatrixXd matrix(3, 3);
    matrix << 2, -1, 0, -1, 2, -1, 0, -1, 2;
    const SymmetricEigen found = symmetric_eigen(matrix);
    EXPECT_NEAR(found.values(0), 2 - std::sqrt(2), 1e-15);
    EXPECT_NEAR(found.values(1), 2, 1e-15);
    EXPECT_NEAR(found.values(2), 2 + std::sqrt(2), 1e-15);
}

TEST(SymmetricEigen, BitsDoNotDependOnThreads) {
    const MatrixXd half = noise(200, 200, 4), matrix = half + half.transpose();
    const int threads = thread_count();
    set_thread_count(1);
    const SymmetricEigen alone = symmetric_eigen(matrix);
    set_thread_count(4);
    const SymmetricEigen together = symmetric_eigen(matrix);
    set_thread_count(threads);
    EXPECT_EQ(alone.values, together.values);
    EXPECT_EQ(alone.vectors, together.vectors);
}

}  // namespace
}  // namespace cmr::linear
