#include "data/coupling.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "data/synthetic.h"

namespace cmr::data {
namespace {

using test::add_recording;
using test::make_dataset;

constexpr int64_t kSamples = 20'000;

// Channels of noise; `mix` sets a channel to a weighted sum of others.
struct Coupling : testing::Test {
    void make(const std::vector<bool>& effects) {
        dataset = make_dataset(effects);
        add_recording(dataset, kSamples, 4);
    }
    std::span<float> channel(int64_t c) { return dataset.recordings[0].channels[c].values(); }
    void mix(int64_t into, const std::vector<std::pair<int64_t, double>>& terms, double offset = 0.0) {
        for (int64_t i = 0; i < kSamples; ++i) {
            double sum = offset;
            for (const auto& [from, weight] : terms) sum += weight * channel(from)[i];
            channel(into)[i] = static_cast<float>(sum);
        }
    }
    std::vector<double> r2() const { return linear_r2(dataset, healthy, fit_scaler(dataset, healthy)); }

    Dataset dataset;
    std::vector<SampleRange> healthy = {{0, 0, 9'000}, {0, 9'500, kSamples}};
};

TEST_F(Coupling, IsCompleteWhereTheEffectIsTheCause) {
    make({false, true, true});
    mix(1, {{0, 1.0}});
    mix(2, {{0, -0.003}}, /*offset=*/500.0);
    EXPECT_NEAR(r2()[1], 1.0, 1e-8);
    EXPECT_NEAR(r2()[2], 1.0, 1e-4);  // single precision rounds 500.003
    EXPECT_TRUE(std::isnan(r2()[0]));
}

TEST_F(Coupling, IsNoneWhereNoiseIsIndependent) {
    make({false, false, true});
    EXPECT_LT(r2()[2], 1e-3);
    EXPECT_GE(r2()[2], 0.0);
}

TEST_F(Coupling, IsTheShareOfVarianceThatTheCausesExplain) {
    make({false, false, true, true});
    mix(2, {{0, 3.0}, {1, 4.0}, {2, 5.0}}, 1e4);  // 9 + 16 of 9 + 16 + 25
    mix(3, {{0, 1.0}, {3, 2.0}});                 // 1 of 5
    EXPECT_NEAR(r2()[2], 0.5, 0.02);
    EXPECT_NEAR(r2()[3], 0.2, 0.02);
}

TEST_F(Coupling, IsNotMisledByCausesThatAreCopies) {
    make({false, false, false, true});
    mix(1, {{0, 2.0}}, 7.0);
    mix(2, {{0, -1.0}});
    mix(3, {{0, 1.0}, {3, 1.0}});
    EXPECT_NEAR(r2()[3], 0.5, 0.02);
}

TEST_F(Coupling, LeavesOutWhatNeverMoves) {
    make({false, false, true, true});
    std::ranges::fill(channel(0), 2.0f);
    std::ranges::fill(channel(2), 2.0f);
    mix(3, {{1, 1.0}});
    EXPECT_TRUE(std::isnan(r2()[2]));
    EXPECT_NEAR(r2()[3], 1.0, 1e-8);
}

TEST_F(Coupling, IsZeroWithoutACauseThatMoves) {
    make({false, true});
    std::ranges::fill(channel(0), 2.0f);
    EXPECT_EQ(r2()[1], 0.0);
}

TEST_F(Coupling, LooksAtHealthySamplesOnly) {
    make({false, true});
    mix(1, {{0, 1.0}});
    for (int64_t i = 9'000; i < 9'500; ++i) channel(1)[i] = 1e6f;
    EXPECT_NEAR(r2()[1], 1.0, 1e-8);
}

TEST_F(Coupling, IsTheSameToTheBitForAnyNumberOfThreads) {
    make({false, false, true});
    mix(2, {{0, 1.0}, {2, 1.0}});
    healthy.clear();
    for (int64_t i = 0; i + 100 <= kSamples; i += 150) healthy.push_back({0, i, i + 100});
    const int before = thread_count();
    set_thread_count(1);
    const double alone = r2()[2];
    for (const int threads : {2, 3}) {
        set_thread_count(threads);
        EXPECT_EQ(r2()[2], alone);
    }
    set_thread_count(before);
}

}  // namespace
}  // namespace cmr::data
