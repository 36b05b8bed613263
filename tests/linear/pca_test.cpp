#include "linear/pca.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::linear {
namespace {

// Columns of falling size, so that the components are far apart.
Matrix stretched(int64_t rows, int64_t columns) {
    Matrix out = test::random_matrix(rows, columns, 1, 5.0);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) out.row(i)[j] *= 1.0f / static_cast<float>(1 + j);
    return out;
}

Eigen::MatrixXd covariance(const Matrix& rows, const Eigen::VectorXd& mean) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rows.columns, rows.columns);
    for (int64_t i = 0; i < rows.rows; ++i) {
        const Eigen::VectorXd d =
            Eigen::Map<const Eigen::VectorXf>(rows.row(i).data(), rows.columns).cast<double>() - mean;
        out += d * d.transpose() / static_cast<double>(rows.rows);
    }
    return out;
}

// With more rows than columns and the other way round.
TEST(Pca, ComponentsAreEigenvectorsOfTheCovariance) {
    for (const auto& [rows, columns] : {std::pair(200, 6), std::pair(12, 40)}) {
        const Matrix x = stretched(rows, columns);
        const Pca pca = fit_pca(x, 5);
        ASSERT_EQ(pca.components(), 5);
        const Eigen::MatrixXd error = covariance(x, pca.mean) * pca.basis - pca.basis * pca.variances.asDiagonal();
        EXPECT_LT(error.norm(), 1e-6);
        EXPECT_LT((pca.basis.transpose() * pca.basis - Eigen::MatrixXd::Identity(5, 5)).norm(), 1e-6);
        for (int64_t i = 1; i < 5; ++i) EXPECT_GE(pca.variances(i - 1), pca.variances(i));
        for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(pca.basis.col(i).maxCoeff(), pca.basis.col(i).cwiseAbs().maxCoeff());
    }
}

TEST(Pca, TransformHasTheVariancesOfTheFitAndTheSameBitsAlone) {
    const Matrix x = stretched(101, 9);
    const Pca pca = fit_pca(x, 4);
    const Matrix parts = pca.transform(x);
    for (int64_t c = 0; c < 4; ++c) {
        double square = 0;
        for (int64_t i = 0; i < x.rows; ++i) square += parts.row(i)[c] * static_cast<double>(parts.row(i)[c]);
        EXPECT_NEAR(square / 101, pca.variances(c), 1e-5 * pca.variances(c));
    }
    for (int64_t i = 0; i < x.rows; ++i)
        EXPECT_TRUE(std::ranges::equal(pca.transform(MatrixView(x).rows_from(i, 1)).values, parts.row(i)));
}

TEST(Pca, ComponentsAreCutToWhatTheRowsSpan) {
    EXPECT_EQ(fit_pca(stretched(4, 9), 64).components(), 3);
    Matrix constant(10, 3);
    EXPECT_EQ(fit_pca(constant, 64).components(), 0);
    EXPECT_EQ(fit_pca(constant, 64).transform(constant).columns, 0);
}

TEST(Pca, OneRowIsNotEnough) {
    test::expect_input_error([] { fit_pca(stretched(1, 3), 2); }, {"PCA", "two"});
    const Pca pca = fit_pca(stretched(5, 3), 2);
    test::expect_input_error([&] { pca.transform(stretched(5, 4)); }, {"3 features", "4"});
}

}  // namespace
}  // namespace cmr::linear
