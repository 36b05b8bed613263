#include "score/scorers/pca_control.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::score {
namespace {

// Points near the line (1, 1, 0), which is 0.1 thick.
Matrix near_a_line(int64_t rows) {
    Matrix out = test::random_matrix(rows, 3, 3);
    for (int64_t i = 0; i < rows; ++i) {
        const auto row = out.row(i);
        const float along = row[0] * 2;
        row[0] = along + row[1] * 0.1f;
        row[1] = along - row[1] * 0.1f;
        row[2] *= 0.1f;
    }
    return out;
}

TEST(PcaControl, SeparatesOffThePlaneFromFarOutOnIt) {
    const PcaControl control(near_a_line(500), 1);
    Matrix points(2, 3);
    points.values = {20, 20, 0, 0, 0, 3};
    const std::vector<float> off = control.residual(points), out = control.t_squared(points);
    EXPECT_LT(off[0], 0.5f);
    EXPECT_NEAR(off[1], 9.0f, 0.5f);
    EXPECT_NEAR(out[0], 100.0f, 15.0f);
    EXPECT_LT(out[1], 0.1f);
}

// |x - m|² = |on the plane|² + |off it|², and T² with unit variances would be the first.
TEST(PcaControl, AgreesWithThePlainFormulas) {
    const Matrix healthy = test::random_matrix(60, 20, 1), windows = test::random_matrix(21, 20, 2);
    const linear::Pca pca = linear::fit_pca(healthy, 7);
    const PcaControl control(healthy, 7);
    const std::vector<float> residual = control.residual(windows), t_squared = control.t_squared(windows);
    for (int64_t i = 0; i < windows.rows; ++i) {
        const Eigen::VectorXd d =
            Eigen::Map<const Eigen::VectorXf>(windows.row(i).data(), 20).cast<double>() - pca.mean;
        double on = 0, t = 0;
        for (int64_t c = 0; c < 7; ++c) {
            const double part = pca.basis.col(c).dot(d);
            on += part * part, t += part * part / pca.variances(c);
        }
        EXPECT_NEAR(residual[i], d.squaredNorm() - on, 1e-5);
        EXPECT_NEAR(t_squared[i], t, 1e-5 * t);
    }
}

TEST(PcaControl, HasTheSameBitsAloneAndForAnyNumberOfThreads) {
    const Matrix windows = test::random_matrix(37, 50, 2);
    const int before = thread_count();
    std::vector<std::vector<float>> found;
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        found.push_back(PcaControl(test::random_matrix(40, 50, 1), 10).residual(windows));
    }
    set_thread_count(before);
    EXPECT_EQ(found[0], found[1]);
    const PcaControl control(test::random_matrix(40, 50, 1), 10);
    for (int64_t i = 0; i < windows.rows; ++i)
        EXPECT_EQ(control.residual(MatrixView(windows).rows_from(i, 1)).front(), found[0][i]);
}

TEST(PcaControl, NeedsMoreDimensionsThanComponents) {
    test::expect_input_error([] { PcaControl(test::random_matrix(8, 20, 1), 7); },
                             {"7 components", "8 healthy windows"});
    test::expect_input_error([] { PcaControl(Matrix(8, 20), 2); }, {"span only 0"});
    test::expect_input_error([] { PcaControl(test::random_matrix(1, 20, 1), 2); }, {"two"});
}

}  // namespace
}  // namespace cmr::score
