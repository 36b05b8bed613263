#include "linear/lagged_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "data/synthetic.h"
#include "data/window_matrix.h"
#include "linear/samples.h"

namespace cmr::linear {
namespace {

constexpr int64_t kLength = 50, kSamples = 10'000;

// A cause of white noise and an effect, by recording.
struct Machine {
    data::Dataset dataset = test::make_dataset({false, true});
    data::Scaler scaler;
    std::vector<data::SampleRange> stretches = {{0, 0, kSamples}};
    std::vector<int64_t> causes = {0}, effects = {1};

    template <typename Effect>  // effect(x, y, t): what y[t] is, having been noise
    explicit Machine(const std::vector<Effect>& by_recording) {
        for (size_t r = 0; r < by_recording.size(); ++r) {
            data::Recording& recording = test::add_recording(dataset, kSamples, r + 1);
            const auto x = recording.channels[0].values(), y = recording.channels[1].values();
            for (int64_t t = 1; t < kSamples; ++t) y[t] = by_recording[r](x, y, t);
        }
        scaler = data::fit_scaler(dataset, stretches);
    }
    HealthySamples healthy() const { return {dataset, scaler, stretches, causes, effects}; }
    Matrix windows(int32_t recording) const {
        std::vector<data::Window> out;
        for (int64_t begin = 0; begin + kLength <= kSamples; begin += kLength)
            out.push_back({.recording = recording, .begin = begin});
        return data::window_matrix(dataset, scaler, {0, 1}, out, kLength);
    }
};

using Effect = std::function<float(std::span<float> x, std::span<const float> y, int64_t t)>;

double mean_of(const std::vector<float>& scores) {
    double sum = 0;
    for (const float score : scores) sum += score / static_cast<double>(scores.size());
    return sum;
}

// x wanders and y[t] = x[t-1]: of the four numbers of a lagged vector one direction has most of the variance, 4, and
// healthy samples are as far from it as the other directions vary. With y[t] = -x[t-1] they are far.
TEST(LaggedVectors, PlaneHoldsTheDelayAndTheDistanceIsWhatBreaksIt) {
    const auto wander = [](auto x, int64_t t) { x[t] = 0.9f * x[t - 1] + 0.436f * x[t]; };
    const Machine machine(std::vector<Effect>{
        [=](auto x, auto y, int64_t t) { return wander(x, t), x[t - 1] + 0.01f * y[t]; },
        [=](auto x, auto, int64_t t) { return wander(x, t), -x[t - 1]; },
    });
    const Pca plane = fit_dynamic_pca(machine.healthy(), 1);
    ASSERT_EQ(plane.components(), 1);
    const double beside = 4 - plane.variances(0);
    EXPECT_LT(beside, 0.4);
    EXPECT_NEAR(mean_of(dynamic_spe(plane, machine.windows(0), 1)), beside, 0.02);
    EXPECT_GT(mean_of(dynamic_spe(plane, machine.windows(1), 1)), 10 * beside);
}

// Noise alone, in which all directions are alike.
TEST(LaggedVectors, OneDirectionIsAlwaysLeftBesideThePlane) {
    const Machine machine(std::vector<Effect>{[](auto, auto y, int64_t t) { return y[t]; }});
    for (const int64_t lags : {0, 1, 2}) {
        const int64_t kept = fit_dynamic_pca(machine.healthy(), lags).components();
        EXPECT_GE(kept, 1);
        EXPECT_LT(kept, 2 * (lags + 1));
    }
}

// y[t] = 0.9 y[t-1] + noise, by itself: of the past (x[t], x[t-1], y[t], y[t-1]) one direction, y[t], tells 0.81 of the
// future, so T² of what is untold is 3 + 0.19 while healthy. Twice the x make 4 + 4 + 1.19 of it. Where y forgets,
// y[t-1] - 0.9 y[t] has the variance 1.81 instead of 0.19, and T² is 2.19 + 1.81 / 0.19.
TEST(LaggedVectors, CanonicalResidualIsWhiteWhileHealthyAndKnowsTheDynamics) {
    const float noise = std::sqrt(0.19f);
    const Machine machine(std::vector<Effect>{
        [=](auto, auto y, int64_t t) { return 0.9f * y[t - 1] + noise * y[t]; },
        [](auto, auto y, int64_t t) { return y[t]; },
    });
    const CanonicalResidual fitted = fit_canonical_residual(machine.healthy(), 1);
    const Matrix healthy = machine.windows(0);
    EXPECT_NEAR(mean_of(canonical_t_squared(fitted, healthy, 1)), 3.19, 0.05);
    EXPECT_NEAR(mean_of(canonical_t_squared(fitted, machine.windows(1), 1)), 2.19 + 1.81 / 0.19, 0.5);
    Matrix louder = healthy;
    for (int64_t i = 0; i < louder.rows; ++i)
        for (float& value : louder.row(i).first(kLength)) value *= 2;
    EXPECT_NEAR(mean_of(canonical_t_squared(fitted, louder, 1)), 9.19, 0.15);
}

TEST(Samples, PiecesHoldEachRowOnceWithItsNeighbours) {
    std::vector<int64_t> rows_of_block(kRidgeBlocks), starts(30);
    for_each_piece({{0, 0, 12}, {0, 12, 14}, {0, 15, 30}}, 2, [&](int64_t block, const data::SampleRange& piece) {
        rows_of_block[block] += piece.end - piece.begin - 2;
        for (int64_t t = piece.begin; t < piece.end - 2; ++t) ++starts[t];
    });
    // 10, 0 and 13 rows: 23 in five blocks.
    EXPECT_EQ(rows_of_block, (std::vector<int64_t>{4, 5, 4, 5, 5}));
    for (int64_t t = 0; t < 30; ++t) EXPECT_EQ(starts[t], t < 10 || (t >= 15 && t < 28) ? 1 : 0) << t;
}

}  // namespace
}  // namespace cmr::linear
