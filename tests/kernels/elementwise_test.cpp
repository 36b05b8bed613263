#include "kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "kernels/naive.h"

namespace cmr::kernels {
namespace {

using naive::Values;

// Below, at and past a block of work, and several blocks.
constexpr int64_t kSizes[] = {1, 7, 16'383, 16'384, 16'385, 70'000};

class Elementwise : public testing::Test {
  protected:
    void TearDown() override { set_thread_count(before_); }

    // What `call` returns must have the same bits whatever the number of threads.
    template <typename Call>
    void expect_same_for_any_threads(const Call& call) {
        set_thread_count(1);
        const auto alone = call();
        for (const int threads : {2, 3, 7}) {
            set_thread_count(threads);
            EXPECT_EQ(call(), alone) << threads << " threads";
        }
    }

    int before_ = thread_count();
    Rng rng_{1};
};

TEST_F(Elementwise, MeanSquareMatchesItsFormula) {
    for (const int64_t n : kSizes) {
        const Values<float> a = naive::random(n, rng_), b = naive::random(n, rng_);
        double sum = 0.0;
        for (int64_t i = 0; i < n; ++i) sum += std::pow(double{a[i]} - b[i], 2);
        EXPECT_NEAR(mean_square(n, a.data(), b.data()), sum / n, 1e-12 * sum / n) << n;
        expect_same_for_any_threads([&] { return mean_square(n, a.data(), b.data()); });
    }
    EXPECT_EQ(mean_square(0, nullptr, nullptr), 0.0);
}

TEST_F(Elementwise, MeanSquareNeitherOverflowsNorCancels) {
    const Values<float> large{1e30f, -1e30f}, near{1'000.0f, 1'000.0f}, nearer{1'000.0f, 1'000.0625f}, zero{0.0f, 0.0f};
    EXPECT_NEAR(mean_square(2, large.data(), zero.data()) / 1e60, 1.0, 1e-6);
    EXPECT_EQ(mean_square(2, near.data(), nearer.data()), 0.0625 * 0.0625 / 2);
}

TEST_F(Elementwise, ScaledDifferenceMatchesItsFormula) {
    for (const int64_t n : kSizes) {
        const Values<float> a = naive::random(n, rng_), b = naive::random(n, rng_);
        Values<float> d(n, NAN);
        scaled_difference(n, a.data(), b.data(), -0.25f, d.data());
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(d[i], -0.25f * (a[i] - b[i])) << i;
    }
}

TEST_F(Elementwise, SumOfSquaresMatchesItsFormula) {
    for (const int64_t n : kSizes) {
        const Values<float> x = naive::random(n, rng_, 1e20);  // squares past the range of float
        double sum = 0.0;
        for (const float v : x) sum += double{v} * v;
        EXPECT_NEAR(sum_of_squares(n, x.data()) / sum, 1.0, 1e-12) << n;
        expect_same_for_any_threads([&] { return sum_of_squares(n, x.data()); });
    }
    EXPECT_EQ(sum_of_squares(0, nullptr), 0.0);
    const Values<float> broken{1.0f, NAN};
    EXPECT_TRUE(std::isnan(sum_of_squares(2, broken.data())));
}

Values<float> drop(const Values<float>& x, float p, uint64_t seed) {
    Values<float> y(x.size(), NAN);
    dropout(std::ssize(x), x.data(), p, seed, y.data());
    return y;
}

TEST_F(Elementwise, DropoutKeepsElementsByTheirPlaceAndSeedAlone) {
    const Values<float> x(70'000, 2.0f);
    const Values<float> y = drop(x, 0.25f, 42);
    int64_t dropped = 0;
    for (const float v : y) {
        ASSERT_TRUE(v == 0.0f || v == 2.0f / 0.75f) << v;
        dropped += v == 0.0f ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(dropped) / 70'000, 0.25, 0.007);  // four deviations
    expect_same_for_any_threads([&] { return drop(x, 0.25f, 42); });
    EXPECT_NE(drop(x, 0.25f, 43), y);
    EXPECT_EQ(drop(x, 0.0f, 42), x);
    // A shorter tensor loses the same elements.
    const Values<float> shorter = drop(Values<float>(100, 2.0f), 0.25f, 42);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), y.begin()));
}

// Seeds that follow each other must not shift the same pattern along.
TEST_F(Elementwise, DropoutOfNeighbouringSeedsIsUnrelated) {
    const Values<float> x(20'000, 1.0f), first = drop(x, 0.5f, 100);
    for (const uint64_t seed : {101, 102}) {
        const Values<float> second = drop(x, 0.5f, seed);
        for (int64_t shift = 0; shift < 4; ++shift) {
            int64_t same = 0;
            for (int64_t i = 0; i + shift < 20'000; ++i) same += first[i + shift] == second[i] ? 1 : 0;
            EXPECT_NEAR(static_cast<double>(same) / static_cast<double>(20'000 - shift), 0.5, 0.02) << seed;
        }
    }
}

// Five steps of the formula in double: decoupled decay, moments of the clipped gradient, corrected for their start at
// 0.
TEST_F(Elementwise, AdamWMatchesItsFormulaOverSeveralSteps) {
    for (const int64_t n : {int64_t{1}, int64_t{100}, int64_t{20'000}})
        for (const double scale : {1.0, 0.01}) {
            Values<float> weight = naive::random(n, rng_), mean(n, 0.0f), square(n, 0.0f);
            Values<double> wanted(weight.begin(), weight.end()), m(n, 0.0), v(n, 0.0);
            AdamWStep step{.rate = 0.01, .weight_decay = 0.1, .gradient_scale = scale};
            for (step.step = 1; step.step <= 5; ++step.step) {
                const Values<float> gradient = naive::random(n, rng_);
                adamw(step, n, gradient.data(), weight.data(), mean.data(), square.data());
                for (int64_t i = 0; i < n; ++i) {
                    const double g = scale * gradient[i];
                    m[i] = 0.9 * m[i] + 0.1 * g;
                    v[i] = 0.999 * v[i] + 0.001 * g * g;
                    const double m_hat = m[i] / (1.0 - std::pow(0.9, step.step));
                    const double v_hat = v[i] / (1.0 - std::pow(0.999, step.step));
                    wanted[i] -= 0.01 * 0.1 * wanted[i];
                    wanted[i] -= 0.01 * m_hat / (std::sqrt(v_hat) + 1e-8);
                }
            }
            EXPECT_LE(naive::difference(weight, wanted), 1e-6) << n << " weights, gradients times " << scale;
            EXPECT_LE(naive::difference(mean, m), 1e-5);
        }
}

TEST_F(Elementwise, TheFirstStepOfAdamWIsTheRateWhateverTheGradient) {
    for (const float gradient : {1e-4f, 1.0f, 1e4f}) {
        float weight = 0.0f, mean = 0.0f, square = 0.0f;
        adamw({.rate = 0.5, .weight_decay = 0.0}, 1, &gradient, &weight, &mean, &square);
        EXPECT_NEAR(weight, -0.5f, 1e-4f) << gradient;
    }
    float weight = 3.0f, mean = 0.0f, square = 0.0f, zero = 0.0f;
    adamw({.rate = 0.5, .weight_decay = 0.0}, 1, &zero, &weight, &mean, &square);
    EXPECT_EQ(weight, 3.0f);
}

TEST_F(Elementwise, AdamWHasTheSameBitsForAnyThreads) {
    const Values<float> gradient = naive::random(70'000, rng_), start = naive::random(70'000, rng_);
    expect_same_for_any_threads([&] {
        Values<float> weight = start, mean(70'000, 0.1f), square(70'000, 0.2f);
        adamw({.step = 3}, 70'000, gradient.data(), weight.data(), mean.data(), square.data());
        return weight;
    });
}

}  // namespace
}  // namespace cmr::kernels
