#include "kernels/norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/every_isa.h"
#include "kernels/naive.h"

namespace cmr::kernels {
namespace {

using naive::Values;
using naive::Var;

constexpr double kTolerance = 5e-6;

struct Data {
    int64_t rows, n;
    Values<float> x, weight, bias, dy;

    Data(int64_t row_count, int64_t columns, double scale = 1.0, double offset = 0.0) : rows(row_count), n(columns) {
        Rng rng(1);
        x = naive::random(rows * n, rng, scale);
        for (float& v : x) v += static_cast<float>(offset);
        weight = naive::random(n, rng);
        bias = naive::random(n, rng);
        dy = naive::random(rows * n, rng);
    }
};

struct Gradients {
    Values<float> x, weight, bias;
    explicit Gradients(const Data& d) : x(d.x.size(), NAN), weight(d.n, NAN), bias(d.n, NAN) {}
    bool operator==(const Gradients&) const = default;
};

Values<float> layer_norm(const Data& d, bool gelu) {
    Values<float> y(d.x.size(), NAN);
    layer_norm_forward(d.rows, d.n, d.x.data(), d.weight.data(), d.bias.data(), gelu, y.data());
    return y;
}

Gradients layer_norm_gradients(const Data& d, bool gelu) {
    Gradients g(d);
    layer_norm_backward(d.rows, d.n, d.x.data(), d.weight.data(), d.bias.data(), gelu, d.dy.data(), g.x.data(),
                        g.weight.data(), g.bias.data());
    return g;
}

Values<float> batch_norm(const Data& d) {
    Values<float> y(d.x.size(), NAN);
    batch_norm_gelu_forward(d.rows, d.n, d.x.data(), batch_moments(d.rows, d.n, d.x.data()), d.weight.data(),
                            d.bias.data(), y.data());
    return y;
}

Gradients batch_norm_gradients(const Data& d) {
    Gradients g(d);
    batch_norm_gelu_backward(d.rows, d.n, d.x.data(), batch_moments(d.rows, d.n, d.x.data()), d.weight.data(),
                             d.bias.data(), d.dy.data(), g.x.data(), g.weight.data(), g.bias.data());
    return g;
}

// Values and gradients of `formula(x, weight, bias)`, a naive norm on Vars.
template <typename Formula>
void expect_same(const Data& d, const Formula& formula, const Values<float>& values, const Gradients& gradients,
                 double tolerance = kTolerance) {
    const Values<Var> x = naive::variables(d.x), weight = naive::variables(d.weight), bias = naive::variables(d.bias);
    const Values<Var> y = formula(x, weight, bias);
    Values<double> wanted;
    for (const Var& v : y) wanted.push_back(v.value);
    const Values<double> slopes = naive::gradients(naive::weighted_sum(y, d.dy));
    const auto size = [&] { return testing::Message() << d.rows << " x " << d.n; };
    EXPECT_LE(naive::difference(values, wanted), tolerance) << size();
    EXPECT_LE(naive::difference(gradients.x, naive::of(x, slopes)), tolerance) << "by x, " << size();
    EXPECT_LE(naive::difference(gradients.weight, naive::of(weight, slopes)), tolerance) << "by weight, " << size();
    EXPECT_LE(naive::difference(gradients.bias, naive::of(bias, slopes)), tolerance) << "by bias, " << size();
}

TEST_P(EveryIsa, LayerNormMatchesItsFormula) {
    for (const bool gelu : {false, true})
        for (const int64_t rows : {1, 2, 255, 256, 257})
            for (const int64_t n : {2, 3, 7, 8, 9, 16, 17, 33}) {
                const Data d(rows, n);
                // Two features normalise to ±1 however near they are, so the gradient by them can be large.
                expect_same(
                    d,
                    [&](const auto& x, const auto& weight, const auto& bias) {
                        return naive::layer_norm(rows, n, x, weight, bias, gelu);
                    },
                    layer_norm(d, gelu), layer_norm_gradients(d, gelu), n == 2 ? 1e-3 : 5e-5);
            }
}

TEST_P(EveryIsa, LayerNormOfOneFeatureIsTheBias) {
    const Data d(5, 1);
    for (const float v : layer_norm(d, false)) EXPECT_EQ(v, d.bias[0]);
    for (const float v : layer_norm_gradients(d, false).x) EXPECT_EQ(v, 0.0f);
}

TEST_P(EveryIsa, LayerNormKeepsItsPrecisionUnderALargeOffset) {
    const Data d(20, 128, 1.0, 10'000.0);  // x itself is only good to 1e-3 of the deviation
    Values<double> x(d.x.begin(), d.x.end()), weight(d.weight.begin(), d.weight.end()),
        bias(d.bias.begin(), d.bias.end());
    EXPECT_LE(naive::difference(layer_norm(d, false), naive::layer_norm(20, 128, x, weight, bias, false)), 2e-3);
}

TEST_P(EveryIsa, LayerNormMayOverwriteItsInput) {
    const Data d(300, 17);
    for (const bool gelu : {false, true}) {
        Values<float> y = d.x;
        layer_norm_forward(d.rows, d.n, y.data(), d.weight.data(), d.bias.data(), gelu, y.data());
        EXPECT_EQ(y, layer_norm(d, gelu));
        Gradients g(d);
        g.x = d.dy;
        layer_norm_backward(d.rows, d.n, d.x.data(), d.weight.data(), d.bias.data(), gelu, g.x.data(), g.x.data(),
                            g.weight.data(), g.bias.data());
        EXPECT_EQ(g, layer_norm_gradients(d, gelu));
    }
}

TEST_P(EveryIsa, LayerNormStaysFiniteForExtremeRows) {
    for (const double scale : {0.0, 1e-40, 1e-20, 1e15, 1e18}) {
        const Data d(3, 128, scale);
        for (const float v : layer_norm(d, true)) ASSERT_TRUE(std::isfinite(v)) << scale;
        for (const float v : layer_norm_gradients(d, true).x) ASSERT_TRUE(std::isfinite(v)) << scale;
    }
}

TEST_P(EveryIsa, BatchMomentsMatchTheirFormula) {
    for (const int64_t rows : {1, 2, 255, 256, 257, 1000})
        for (const int64_t n : {1, 7, 8, 17, 128}) {
            const Data d(rows, n, 2.0, 100.0);
            Values<double> mean(n, 0.0), variance(n, 0.0);
            for (int64_t i = 0; i < rows * n; ++i) mean[i % n] += d.x[i] / static_cast<double>(rows);
            for (int64_t i = 0; i < rows * n; ++i)
                variance[i % n] += std::pow(d.x[i] - mean[i % n], 2) / static_cast<double>(rows);
            const BatchMoments found = batch_moments(rows, n, d.x.data());
            EXPECT_LE(naive::difference(found.mean, mean), 1e-6) << rows << " x " << n;
            EXPECT_LE(naive::difference(found.variance, variance), 1e-5) << rows << " x " << n;
        }
}

TEST_P(EveryIsa, BatchNormMatchesItsFormula) {
    for (const int64_t rows : {3, 255, 256, 257})
        for (const int64_t n : {1, 7, 8, 9, 17}) {
            const Data d(rows, n);
            expect_same(
                d,
                [&](const auto& x, const auto& weight, const auto& bias) {
                    return naive::batch_norm_gelu(rows, n, x, weight, bias);
                },
                batch_norm(d), batch_norm_gradients(d), rows == 3 ? 1e-4 : 1e-5);
        }
}

TEST_P(EveryIsa, BatchNormMayOverwriteItsInput) {
    const Data d(300, 17);
    Values<float> y = d.x;
    batch_norm_gelu_forward(d.rows, d.n, y.data(), batch_moments(d.rows, d.n, d.x.data()), d.weight.data(),
                            d.bias.data(), y.data());
    EXPECT_EQ(y, batch_norm(d));
}

// With mean 0 and variance 1 - ε the norm is the identity, so what is left is GELU.
TEST_P(EveryIsa, GeluIsGoodToThePrecisionOfFloat) {
    Values<float> x;
    for (int i = -20'000; i <= 20'000; ++i) x.push_back(static_cast<float>(i) / 1000.0f);
    for (const float extreme : {-1e30f, -1e4f, -1e-30f, 0.0f, 1e-30f, 1e4f, 1e30f}) x.push_back(extreme);
    const BatchMoments identity{{0.0f}, {1.0f - kNormEpsilon}};
    const float one = 1.0f, zero = 0.0f;
    Values<float> y(x.size());
    batch_norm_gelu_forward(std::ssize(x), 1, x.data(), identity, &one, &zero, y.data());
    for (size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(y[i], naive::gelu(static_cast<double>(x[i])), 3e-7 * std::max(1.0, std::abs(double{x[i]}))) << x[i];
}

TEST_P(EveryIsa, NormsHaveTheSameBitsForAnyThreads) {
    const Data d(2000, 33);
    set_thread_count(1);
    const Values<float> layer = layer_norm(d, true), batch = batch_norm(d);
    const Gradients d_layer = layer_norm_gradients(d, true), d_batch = batch_norm_gradients(d);
    for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        EXPECT_EQ(layer_norm(d, true), layer);
        EXPECT_EQ(batch_norm(d), batch);
        EXPECT_EQ(layer_norm_gradients(d, true), d_layer);
        EXPECT_EQ(batch_norm_gradients(d), d_batch);
    }
}

}  // namespace
}  // namespace cmr::kernels
