#include "linear/mechanism.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/parallel.h"
#include "data/synthetic.h"
#include "data/window_matrix.h"
#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::linear {
namespace {

constexpr int64_t kLength = 24;

// Causes 0 and 1; effect 2 follows cause 0 two samples late, effect 3 both at once; noise of 0.1. In the second
// recording effect 3 no longer hears cause 1.
struct Machine {
    data::Dataset dataset = test::make_dataset({false, false, true, true});
    data::Scaler scaler;
    std::vector<data::SampleRange> healthy = {{0, 0, 2000}};
    std::vector<int64_t> causes = {0, 1}, effects = {2, 3};

    Machine() {
        for (const bool broken : {false, true}) {
            data::Recording& recording = test::add_recording(dataset, 2000, broken ? 2 : 1);
            const auto a = recording.channels[0].values(), b = recording.channels[1].values();
            const auto late = recording.channels[2].values(), sum = recording.channels[3].values();
            for (int64_t t = 0; t < 2000; ++t) {
                late[t] = 0.1f * late[t] + (t >= 2 ? 3 * a[t - 2] : 0.0f);
                sum[t] = 0.1f * sum[t] + a[t] - (broken ? 0.0f : b[t]);
            }
        }
        scaler = data::fit_scaler(dataset, healthy);
    }
    Matrix windows(const std::vector<int64_t>& channels, int32_t recording, int64_t stride = kLength) const {
        std::vector<data::Window> out;
        for (int64_t begin = 0; begin + kLength <= 2000; begin += stride)
            out.push_back({.recording = recording, .begin = begin});
        return data::window_matrix(dataset, scaler, channels, out, kLength);
    }
    LaggedRidge lagged(int64_t lags) const { return {dataset, scaler, healthy, causes, effects, lags}; }
};

double mean_of_channel(const Matrix& scores, int64_t channel) {
    double sum = 0;
    for (int64_t i = 0; i < scores.rows; ++i) sum += scores.row(i)[channel];
    return sum / static_cast<double>(scores.rows);
}

TEST(LaggedRidge, HealthyResidualsAreStandardAndTheBrokenEffectIsNamed) {
    const Machine machine;
    const LaggedRidge ridge = machine.lagged(3);
    const Matrix healthy = ridge.score(machine.windows(machine.causes, 0), machine.windows(machine.effects, 0));
    const Matrix broken = ridge.score(machine.windows(machine.causes, 1), machine.windows(machine.effects, 1));
    for (const int64_t channel : {0, 1}) EXPECT_NEAR(mean_of_channel(healthy, channel), 1.0, 0.1);
    EXPECT_NEAR(mean_of_channel(broken, 0), 1.0, 0.15);
    EXPECT_GT(mean_of_channel(broken, 1), 20.0);
}

TEST(LaggedRidge, FindsTheWeightsOfTheMachine) {
    const Machine machine;
    const Ridge ridge = machine.lagged(3).ridge();
    // Rows: cause 0 at lags 0 … 3, then cause 1; in units of deviations.
    const auto weight = [&](int64_t lag, int64_t cause, int64_t effect) {
        return ridge.weights(cause * 4 + lag, effect) * machine.scaler.deviation[2 + effect] /
               machine.scaler.deviation[cause];
    };
    EXPECT_NEAR(weight(2, 0, 0), 3.0, 0.02);
    EXPECT_NEAR(weight(1, 0, 0), 0.0, 0.02);
    EXPECT_NEAR(weight(0, 0, 1), 1.0, 0.02);
    EXPECT_NEAR(weight(0, 1, 1), -1.0, 0.02);
}

TEST(LaggedRidge, TooFewLagsLeaveTheLateEffectUnexplained) {
    const Machine machine;
    EXPECT_GT(machine.lagged(1).ridge().deviation(0), 0.9);
    EXPECT_LT(machine.lagged(2).ridge().deviation(0), 0.1);
}

// Stretches are cut into blocks wherever they lie.
TEST(LaggedRidge, StretchesThatTouchNoWindowBorderGiveTheSameFit) {
    Machine machine;
    const Ridge whole = machine.lagged(0).ridge();
    machine.healthy = {{0, 0, 7}, {0, 7, 900}, {0, 900, 2000}};
    const Ridge cut = machine.lagged(0).ridge();
    EXPECT_LT((whole.weights - cut.weights).norm(), 1e-9);
    EXPECT_LT((whole.deviation - cut.deviation).norm(), 1e-9);
}

// The broken effect leaves out just what it made of cause 1, so that one explains its whole residual; what it still
// makes of cause 0, which is as much, would double it. While healthy no cause explains anything.
TEST(LaggedRidge, TheCauseThatIsNoLongerAnsweredHasTheShareOfTheResidual) {
    const Machine machine;
    const LaggedRidge ridge = machine.lagged(3);
    const std::vector<double> broken =
        ridge.cause_shares(machine.windows(machine.causes, 1), machine.windows(machine.effects, 1), /*effect=*/1);
    ASSERT_EQ(broken.size(), 2u);
    EXPECT_NEAR(broken[0], -1.0, 0.1);
    EXPECT_NEAR(broken[1], 1.0, 0.05);
    for (const double share :
         ridge.cause_shares(machine.windows(machine.causes, 0), machine.windows(machine.effects, 0), 1))
        EXPECT_LT(share, 0.0);
}

TEST(WindowRidge, HealthyResidualsAreStandardAndTheBrokenEffectIsNamed) {
    const Machine machine;
    // 83 windows have 48 cause samples each: at stride 3 there are enough to learn from.
    const WindowRidge ridge(machine.windows(machine.causes, 0, 3), machine.windows(machine.effects, 0, 3), 2);
    const Matrix broken = ridge.score(machine.windows(machine.causes, 1), machine.windows(machine.effects, 1));
    EXPECT_GT(mean_of_channel(broken, 1), 10.0);
    EXPECT_LT(mean_of_channel(broken, 0), 2.0);
}

TEST(WindowRidge, HasTheSameFitWithMoreInputsThanWindowsAndBack) {
    // 30 windows of 12 inputs, and the same turned into 40 dimensions: ridge does not see a rotation.
    const Matrix x = test::random_matrix(30, 12, 1), fresh = test::random_matrix(5, 12, 2);
    Matrix y(30, 6), fresh_y = test::random_matrix(5, 6, 3);
    const Matrix noise = test::random_matrix(30, 6, 4);
    for (int64_t i = 0; i < 30; ++i)
        for (int64_t j = 0; j < 6; ++j) y.row(i)[j] = x.row(i)[j] - x.row(i)[j + 6] + 0.2f * noise.row(i)[j];
    const Matrix turns = test::random_matrix(40, 12, 5);
    const Eigen::MatrixXd random =
        Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(turns.values.data(), 40, 12).cast<double>();
    Eigen::MatrixXd basis = random;  // orthonormal columns, by Gram and Schmidt
    for (int64_t c = 0; c < 12; ++c) {
        for (int64_t e = 0; e < c; ++e) basis.col(c) -= basis.col(e).dot(basis.col(c)) * basis.col(e);
        basis.col(c).normalize();
    }
    const auto turned = [&](const Matrix& rows) {
        Matrix out(rows.rows, 40);
        for (int64_t i = 0; i < rows.rows; ++i)
            Eigen::Map<Eigen::VectorXf>(out.row(i).data(), 40) =
                (basis * Eigen::Map<const Eigen::VectorXf>(rows.row(i).data(), 12).cast<double>()).cast<float>();
        return out;
    };
    const WindowRidge primal(x, y, 2), dual(turned(x), y, 2);
    EXPECT_EQ(primal.ridge().penalty, dual.ridge().penalty);
    const Matrix a = primal.score(fresh, fresh_y), b = dual.score(turned(fresh), fresh_y);
    for (size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 1e-4f * a.values[i]);
}

TEST(LinearMechanism, AWindowAloneHasTheBitsItHasInABatchOnAnyNumberOfThreads) {
    const Machine machine;
    const Matrix causes = machine.windows(machine.causes, 1), effects = machine.windows(machine.effects, 1);
    const int before = thread_count();
    std::vector<Matrix> found;
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        const LaggedRidge lagged = machine.lagged(2);
        const WindowRidge window(machine.windows(machine.causes, 0), machine.windows(machine.effects, 0), 2);
        found.push_back(lagged.score(causes, effects));
        found.push_back(window.score(causes, effects));
        for (int64_t i = 0; i < causes.rows; i += 5) {
            const MatrixView cause = MatrixView(causes).rows_from(i, 1), effect = MatrixView(effects).rows_from(i, 1);
            EXPECT_TRUE(std::ranges::equal(lagged.score(cause, effect).values, found.end()[-2].row(i)));
            EXPECT_TRUE(std::ranges::equal(window.score(cause, effect).values, found.end()[-1].row(i)));
        }
    }
    set_thread_count(before);
    EXPECT_EQ(found[0].values, found[2].values);
    EXPECT_EQ(found[1].values, found[3].values);
}

TEST(LinearMechanism, AnEffectThatFollowsToTheLastBitIsNoReasonToDivideByZero) {
    const Matrix x = test::random_matrix(50, 4, 1);
    Matrix constant(50, 4);
    EXPECT_LT(max_of_rows(WindowRidge(x, x, 1).score(x, x)).front(), 1e-3f);
    EXPECT_EQ(max_of_rows(WindowRidge(x, constant, 1).score(x, constant)).front(), 0.0f);
    EXPECT_GT(max_of_rows(WindowRidge(constant, x, 1).score(constant, x)).front(), 0.0f);
}

TEST(LinearMechanism, SaysWhatItCannotUse) {
    const Matrix few = test::random_matrix(4, 6, 1);
    test::expect_input_error([&] { WindowRidge(few, few, 2); }, {"4 healthy windows"});
    Machine machine;
    test::expect_input_error([&] { machine.lagged(30).score(few, few); }, {"windows of 3 samples", "30 lags"});
    machine.healthy = {{0, 0, 6}};
    test::expect_input_error([&] { machine.lagged(3); }, {"3 healthy samples"});
    machine.causes.clear();
    test::expect_input_error([&] { machine.lagged(3); }, {"0 cause"});
}

}  // namespace
}  // namespace cmr::linear
