#include "linear/dynamic_ridge.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "data/synthetic.h"
#include "data/window_matrix.h"
#include "support/expect_input_error.h"

namespace cmr::linear {
namespace {

constexpr int64_t kLength = 40, kSamples = 8000;

// y[t] = 0.7 y[t-1] + 0.5 x[t-2] + e, z[t] = -0.4 z[t-1] + x[t] + 0.9 e + 0.3 f: both hear the same disturbance e. In
// the second recording y no longer remembers.
struct Machine {
    data::Dataset dataset = test::make_dataset({false, true, true});
    data::Scaler scaler;
    std::vector<data::SampleRange> healthy = {{0, 0, kSamples}};

    Machine() {
        for (const bool broken : {false, true}) {
            data::Recording& recording = test::add_recording(dataset, kSamples, broken ? 2 : 1);
            const auto x = recording.channels[0].values(), y = recording.channels[1].values(),
                       z = recording.channels[2].values();
            for (int64_t t = 0; t < kSamples; ++t) {
                const float e = 0.2f * y[t], f = 0.2f * z[t];
                y[t] = e + (t < 2 ? 0 : (broken ? 0 : 0.7f * y[t - 1]) + 0.5f * x[t - 2]);
                z[t] = x[t] + 0.9f * e + 0.3f * f - (t < 1 ? 0 : 0.4f * z[t - 1]);
            }
        }
        scaler = data::fit_scaler(dataset, healthy);
    }
    Matrix windows(const std::vector<int64_t>& channels, int32_t recording) const {
        std::vector<data::Window> out;
        for (int64_t begin = 0; begin + kLength <= kSamples; begin += kLength)
            out.push_back({.recording = recording, .begin = begin});
        return data::window_matrix(dataset, scaler, channels, out, kLength);
    }
    DynamicRidge fit(int64_t lags) const { return {dataset, scaler, healthy, {0}, {1, 2}, lags}; }
    Matrix residuals(const DynamicRidge& ridge, int32_t recording) const {
        return ridge.residuals(windows({0}, recording), windows({1, 2}, recording));
    }
};

// Mean over windows of the product of two channels' residuals, the second `later` samples later.
double correlation(const Matrix& residuals, int64_t a, int64_t b, int64_t later = 0) {
    const int64_t rows = residuals.columns / 2;
    double sum = 0;
    for (int64_t i = 0; i < residuals.rows; ++i)
        for (int64_t t = 0; t + later < rows; ++t)
            sum += residuals.row(i)[a * rows + t] * residuals.row(i)[b * rows + t + later];
    return sum / static_cast<double>(residuals.rows * (rows - later));
}

TEST(DynamicRidge, FindsTheWeightsOfTheMachine) {
    const Machine machine;
    const Ridge ridge = machine.fit(2).ridge();
    // Rows: x at lags 0, 1, 2; y at lags 1, 2; z at lags 1, 2. In units of deviations. Standard errors are about 0.015.
    const auto weight = [&](int64_t row, int64_t input, int64_t output) {
        return ridge.weights(row, output - 1) * machine.scaler.deviation[output] / machine.scaler.deviation[input];
    };
    EXPECT_NEAR(weight(2, 0, 1), 0.5, 0.05);
    EXPECT_NEAR(weight(3, 1, 1), 0.7, 0.05);
    EXPECT_NEAR(weight(4, 1, 1), 0.0, 0.05);
    EXPECT_NEAR(weight(0, 0, 2), 1.0, 0.05);
    EXPECT_NEAR(weight(5, 2, 2), -0.4, 0.05);
    EXPECT_NEAR(weight(6, 2, 2), 0.0, 0.05);
}

TEST(DynamicRidge, HealthyResidualsAreWhiteAcrossEffectsAndInTime) {
    const Machine machine;
    const Matrix healthy = machine.residuals(machine.fit(2), 0);
    EXPECT_EQ(healthy.columns, 2 * (kLength - 2));
    EXPECT_NEAR(correlation(healthy, 0, 0), 1.0, 0.05);
    EXPECT_NEAR(correlation(healthy, 1, 1), 1.0, 0.05);
    EXPECT_NEAR(correlation(healthy, 0, 1), 0.0, 0.03);
    EXPECT_NEAR(correlation(healthy, 0, 0, /*later=*/1), 0.0, 0.03);
    EXPECT_NEAR(correlation(healthy, 1, 1, /*later=*/1), 0.0, 0.03);
}

// Standardised, the two residuals have the correlation 0.9 / √0.9; the inverse of its root is the whitening.
TEST(DynamicRidge, WhitensByTheCorrelationOfWhatIsLeft) {
    const Eigen::MatrixXd white = Machine().fit(2).whitening();
    const Eigen::MatrixXd correlation = (white * white).inverse();
    EXPECT_NEAR(correlation(0, 1), 0.9 / std::sqrt(0.9), 0.01);
    EXPECT_NEAR(correlation(0, 0), 1.0, 0.01);
}

TEST(DynamicRidge, ScoreIsTheMeanSquareAndNamesTheEffectThatLostItsMemory) {
    const Machine machine;
    const DynamicRidge ridge = machine.fit(2);
    const Matrix residuals = machine.residuals(ridge, 1);
    const Matrix score = ridge.score(machine.windows({0}, 1), machine.windows({1, 2}, 1));
    const Matrix mean = ridge.mean(machine.windows({0}, 1), machine.windows({1, 2}, 1));
    double worst = 0, other = 0;
    for (int64_t i = 0; i < score.rows; ++i) {
        double square = 0, sum = 0;
        for (const float r : residuals.row(i).subspan(kLength - 2)) square += r * r, sum += r;
        EXPECT_NEAR(score.row(i)[1], square / (kLength - 2), 1e-4 * score.row(i)[1]);
        EXPECT_NEAR(mean.row(i)[1], sum / (kLength - 2), 1e-4);
        worst += score.row(i)[0], other += score.row(i)[1];
    }
    EXPECT_GT(worst, 1.3 * other);
}

// z[t] = 0.5 z[t-1] + y[t-1] + noise: y drives z, z does not drive y.
TEST(DynamicRidge, KnowsWhoDrivesWhom) {
    data::Dataset dataset = test::make_dataset({false, true, true});
    data::Recording& recording = test::add_recording(dataset, kSamples, 1);
    const auto x = recording.channels[0].values(), y = recording.channels[1].values(),
               z = recording.channels[2].values();
    for (int64_t t = 1; t < kSamples; ++t) {
        y[t] = 0.3f * y[t] + x[t];
        z[t] = 0.3f * z[t] + 0.5f * z[t - 1] + y[t - 1];
    }
    const std::vector<data::SampleRange> healthy = {{0, 0, kSamples}};
    const data::Scaler scaler = data::fit_scaler(dataset, healthy);
    const Eigen::MatrixXd drives = DynamicRidge(dataset, scaler, healthy, {0}, {1, 2}, 1).drives();
    // One deviation of y, in deviations of the noise.
    EXPECT_NEAR(drives(0, 1), scaler.deviation[1] / 0.3, 0.1);
    EXPECT_LT(drives(1, 0), 0.05);
}

TEST(DynamicRidge, SaysWhereThereIsTooLittle) {
    Machine machine;
    machine.healthy = {{0, 0, 6}, {0, 100, 104}};
    test::expect_input_error([&] { machine.fit(4); }, {"2 healthy samples", "at least 5"});
    machine.healthy = {{0, 0, kSamples}};
    const DynamicRidge ridge = machine.fit(kLength);
    test::expect_input_error([&] { machine.residuals(ridge, 0); }, {"windows of 40 samples"});
}

}  // namespace
}  // namespace cmr::linear
