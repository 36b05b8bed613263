#include "linear/products.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "base/parallel.h"
#include "base/rng.h"
#include "kernels/isa.h"
#include "linear/leading.h"
#include "support/random_matrix.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;

MatrixXd random(int64_t rows, int64_t columns, uint64_t seed) {
    Rng rng(seed);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

// Once on every instruction set of this CPU.
template <typename Body>
void on_every_isa(const Body& body) {
    const kernels::Isa before = kernels::current_isa();
    for (const kernels::Isa isa : kernels::available_isas()) {
        SCOPED_TRACE(kernels::name(isa));
        kernels::use_isa(isa);
        body();
    }
    kernels::use_isa(before);
}

// Sums of up to 400 terms of the order of one.
constexpr double kTolerance = 1e-12;

TEST(Products, AreThoseOfEigenInAnyShape) {
    on_every_isa([] {
        for (const int64_t m : {1, 7, 192, 193, 401})
            for (const int64_t n : {1, 33, 200})
                for (const int64_t k : {1, 130, 400}) {
                    const MatrixXd a = random(m, k, 1), b = random(k, n, 2), a2 = random(k, m, 3), b2 = random(n, k, 4);
                    EXPECT_LT((product(a, b) - a * b).cwiseAbs().maxCoeff(), kTolerance);
                    EXPECT_LT((product(a2.transpose(), b) - a2.transpose() * b).cwiseAbs().maxCoeff(), kTolerance);
                    EXPECT_LT((product(a, b2.transpose()) - a * b2.transpose()).cwiseAbs().maxCoeff(), kTolerance);
                    MatrixXd sum = random(m, n, 5);
                    const MatrixXd wanted = sum + a * b;
                    add_product(a, b, sum);
                    EXPECT_LT((sum - wanted).cwiseAbs().maxCoeff(), kTolerance);
                }
    });
}

TEST(Products, ReadPartsOfAMatrix) {
    const MatrixXd a = random(50, 40, 1), b = random(60, 30, 2);
    EXPECT_LT((product(a.middleRows(3, 20), b.block(5, 7, 40, 9)) - a.middleRows(3, 20) * b.block(5, 7, 40, 9)).norm(),
              kTolerance);
}

TEST(Products, OfNothingAreZero) {
    EXPECT_EQ(product(MatrixXd(3, 0), MatrixXd(0, 2)), MatrixXd::Zero(3, 2));
    EXPECT_EQ(product(MatrixXd(0, 4), MatrixXd(4, 2)).rows(), 0);
}

TEST(Products, SquaresAreThoseOfEigenAndSymmetricToTheBit) {
    on_every_isa([] {
        for (const int64_t n : {1, 5, 191, 192, 193, 450})
            for (const int64_t k : {1, 77, 300}) {
                const MatrixXd x = random(k, n, 6);
                MatrixXd sum = MatrixXd::Identity(n, n);
                add_square(x.transpose(), sum);
                EXPECT_LT((sum - MatrixXd::Identity(n, n) - x.transpose() * x).cwiseAbs().maxCoeff(), kTolerance);
                EXPECT_EQ(sum, sum.transpose());
            }
    });
}

TEST(Products, HaveTheSameBitsOnAnyNumberOfThreadsAndInsideATask) {
    const MatrixXd a = random(500, 300, 7), b = random(300, 250, 8);
    const int before = thread_count();
    set_thread_count(1);
    const MatrixXd wanted = product(a, b);
    MatrixXd square = MatrixXd::Zero(500, 500);
    add_square(a, square);
    for (const int threads : {2, 5}) {
        set_thread_count(threads);
        EXPECT_EQ(product(a, b), wanted);
        std::vector<MatrixXd> nested(3);
        parallel_for(3, [&](int64_t i) {
            nested[i] = MatrixXd::Zero(500, 500);
            add_square(a, nested[i]);
        });
        for (const MatrixXd& found : nested) EXPECT_EQ(found, square);
    }
    set_thread_count(before);
}

TEST(Products, CentredRowsAndTheirMeanAreTakenInDouble) {
    // 1e6 + noise: a mean in float would be off by the noise.
    Matrix x = test::random_matrix(301, 131, 9);
    for (float& value : x.values) value = 1e6f + value;
    MatrixXd plain(301, 131);
    for (int64_t i = 0; i < 301; ++i)
        for (int64_t c = 0; c < 131; ++c) plain(i, c) = x.row(i)[c];
    const Eigen::VectorXd mean = mean_row(x);
    EXPECT_LT((mean.transpose() - plain.colwise().mean()).cwiseAbs().maxCoeff(), 1e-8);
    const MatrixXd wanted = plain.middleRows(17, 200).rowwise() - mean.transpose();
    EXPECT_EQ(centred_rows(x, 17, 200, mean), wanted);
}

// A matrix with the eigenvalues `values`, and its leading pairs.
void expect_leading(const Eigen::VectorXd& values, int64_t count) {
    const int64_t side = values.size();
    const MatrixXd turn = Eigen::SelfAdjointEigenSolver<MatrixXd>([&] {
                              const MatrixXd x = random(side, side, 11);
                              return MatrixXd(x + x.transpose());
                          }())
                              .eigenvectors();
    const MatrixXd a = turn * values.asDiagonal() * turn.transpose();
    const Leading found = leading_eigenpairs(side, count, [&](const MatrixXd& y) { return MatrixXd(a * y); });
    ASSERT_EQ(found.values.size(), count);
    Eigen::VectorXd sorted = values;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double largest = std::max(sorted(0), 1e-300);
    EXPECT_LT((found.values - sorted.head(count)).cwiseAbs().maxCoeff(), 1e-11 * largest);
    EXPECT_LT((found.vectors.transpose() * found.vectors - MatrixXd::Identity(count, count)).norm(), 1e-11);
    EXPECT_LT((a * found.vectors - found.vectors * found.values.asDiagonal()).colwise().norm().maxCoeff(),
              1e-11 * largest);
}

TEST(Leading, PairsAreThoseOfTheWholeDecomposition) {
    on_every_isa([] {
        const auto index = Eigen::ArrayXd::LinSpaced(301, 0, 300);
        expect_leading((-0.05 * index).exp(), 20);                 // falls off as data do
        expect_leading((1 + index).inverse().matrix(), 31);        // a long tail
        expect_leading(1 + (1e-3 * index).matrix().array(), 8);    // nearly all alike: needs the whole space
        expect_leading((index < 5).cast<double>().matrix(), 20);   // more are wanted than there are, and some alike
        expect_leading((index < 100).cast<double>().matrix(), 3);  // more alike than in a block
        expect_leading(Eigen::VectorXd::Zero(70), 5);
        expect_leading(Eigen::VectorXd::LinSpaced(7, 0, 1), 7);  // smaller than a block
        expect_leading(Eigen::VectorXd::LinSpaced(40, 0, 1), 40);
    });
}

}  // namespace
}  // namespace cmr::linear
