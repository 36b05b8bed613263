#include "linear/ridge.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random(int64_t rows, int64_t columns, uint64_t seed) {
    Rng rng(seed);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

struct Data {
    MatrixXd x, y;

    explicit Data(double noise, int64_t rows = 60) : x(random(rows, 4, 1)), y(x * random(4, 3, 2)) {
        y += noise * random(rows, 3, 3);
        y.array() += 2.0;
        x.array() -= 1.0;
    }
    std::vector<RidgeSums> blocks() const {
        std::vector<RidgeSums> out(kRidgeBlocks, RidgeSums(4, 3));
        for (int64_t b = 0; b < kRidgeBlocks; ++b) {
            const int64_t first = first_row_of_block(b, x.rows()), last = first_row_of_block(b + 1, x.rows());
            out[b].add(x.middleRows(first, last - first), y.middleRows(first, last - first));
        }
        return out;
    }
};

// Residuals of `test` under the textbook solution of the normal equations on `train`.
MatrixXd plain_residuals(const Data& data, const std::vector<int>& train, const std::vector<int>& test,
                         double penalty) {
    const MatrixXd x = data.x(train, Eigen::all), y = data.y(train, Eigen::all);
    const Eigen::RowVectorXd mx = x.colwise().mean(), my = y.colwise().mean();
    const MatrixXd xc = x.rowwise() - mx, yc = y.rowwise() - my;
    const MatrixXd gram =
        xc.transpose() * xc + penalty * static_cast<double>(train.size()) * MatrixXd::Identity(x.cols(), x.cols());
    const MatrixXd w = gram.ldlt().solve(xc.transpose() * yc);
    return (data.y(test, Eigen::all).rowwise() - my) - (data.x(test, Eigen::all).rowwise() - mx) * w;
}

// The out-of-block residuals of all rows.
MatrixXd left_out_residuals(const Data& data, double penalty) {
    MatrixXd out(data.y.rows(), data.y.cols());
    for (int64_t b = 0; b < kRidgeBlocks; ++b) {
        std::vector<int> train, test;
        for (int i = 0; i < data.x.rows(); ++i)
            (i >= first_row_of_block(b, data.x.rows()) && i < first_row_of_block(b + 1, data.x.rows()) ? test : train)
                .push_back(i);
        out(test, Eigen::all) = plain_residuals(data, train, test, penalty);
    }
    return out;
}

TEST(Ridge, PenaltyAndDeviationAreThoseOfRefittingWithoutEachBlock) {
    for (const double noise : {0.0, 0.3, 30.0}) {
        const Data data(noise);
        const Ridge ridge = fit_ridge(data.blocks());
        const MatrixXd residuals = left_out_residuals(data, ridge.penalty);
        const VectorXd wanted = (residuals.colwise().squaredNorm() / 60.0).cwiseSqrt().transpose();
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(ridge.deviation(j), std::max(wanted(j), kLeastDeviation), 1e-6);
        for (const double factor : {0.1, 10.0}) {
            const double other = ridge.penalty * factor;
            if (other < 0.9e-7 || other > 101) continue;
            EXPECT_GE(left_out_residuals(data, other).squaredNorm(), residuals.squaredNorm() - 1e-9);
        }
    }
}

TEST(Ridge, ForwardPenaltyForetellsLaterBlocksBest) {
    int64_t other_than_left_out = 0;
    for (const double noise : {0.3, 1.0, 2.0, 5.0}) {
        const Data data(noise);
        const auto error = [&](double penalty) {
            double sum = 0;
            for (int64_t b = 1; b < kRidgeBlocks; ++b) {
                std::vector<int> train, test;
                for (int i = 0; i < first_row_of_block(b + 1, data.x.rows()); ++i)
                    (i < first_row_of_block(b, data.x.rows()) ? train : test).push_back(i);
                sum += plain_residuals(data, train, test, penalty).squaredNorm();
            }
            return sum;
        };
        const double chosen = fit_ridge(data.blocks(), Penalty::kForward).penalty;
        for (int i = -14; i <= 4; ++i) EXPECT_GE(error(std::pow(10.0, i / 2.0)), error(chosen) - 1e-9) << noise;
        other_than_left_out += chosen != fit_ridge(data.blocks()).penalty;
    }
    EXPECT_GT(other_than_left_out, 0);
}

TEST(Ridge, OfSomeOutputsAtATimeIsTheSame) {
    for (const double noise : {0.01, 1.0}) {
        const Data data(noise);
        const auto some = [&](int64_t first, int64_t count) {
            std::vector<RidgeSums> out = data.blocks();
            for (RidgeSums& block : out) {
                block.y = VectorXd(block.y.segment(first, count));
                block.yy = VectorXd(block.yy.segment(first, count));
                block.xy = MatrixXd(block.xy.middleCols(first, count));
            }
            return out;
        };
        const Ridge whole = fit_ridge(data.blocks()), pieces = fit_ridge(3, 2, some, Penalty::kLeftOut);
        EXPECT_EQ(pieces.penalty, whole.penalty);
        EXPECT_TRUE(pieces.weights.isApprox(whole.weights, 1e-6));
        EXPECT_TRUE(pieces.deviation.isApprox(whole.deviation, 1e-6));
        EXPECT_TRUE(pieces.output_mean.isApprox(whole.output_mean, 1e-6));
    }
}

TEST(Ridge, NoiseAsksForMorePenalty) {
    EXPECT_LT(fit_ridge(Data(0.01).blocks()).penalty, 1e-3);
    EXPECT_GT(fit_ridge(Data(30.0).blocks()).penalty, 0.1);
}

TEST(Ridge, SolvesTheNormalEquations) {
    const Data data(0.5);
    const Ridge ridge = fit_ridge(data.blocks());
    const MatrixXd x = data.x.rowwise() - ridge.input_mean.transpose();
    const MatrixXd y = data.y.rowwise() - ridge.output_mean.transpose();
    const MatrixXd left = x.transpose() * x * ridge.weights + 60 * ridge.penalty * ridge.weights;
    EXPECT_LT((left - x.transpose() * y).norm(), 1e-4);
}

TEST(Ridge, TakesConstantAndCopiedInputs) {
    Data data(0.1);
    data.x.col(1).setConstant(3);
    data.x.col(2) = data.x.col(3);
    const Ridge ridge = fit_ridge(data.blocks());
    EXPECT_TRUE(ridge.weights.allFinite());
    EXPECT_LT(ridge.weights.row(1).norm(), 1e-6);
}

TEST(Ridge, NeedsTwoBlocks) {
    std::vector<RidgeSums> blocks = Data(0.1).blocks();
    blocks.resize(1);
    test::expect_input_error([&] { fit_ridge(blocks); }, {"linear mechanism", "two"});
    test::expect_input_error([&] { fit_ridge({}); }, {"linear mechanism", "two"});
}

}  // namespace
}  // namespace cmr::linear
