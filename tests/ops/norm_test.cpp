#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"

namespace cmr {
namespace {

// Rounding is 6e-8, but a row whose few features nearly agree is divided by a small deviation: 1.2e-5 was measured at
// three features, 1e-6 at 128.
constexpr double kTolerance = 3e-5;

Tensors norm_inputs(int64_t rows, int64_t n) {
    return {2.0 * torch::randn({rows, n}) + 1.0, torch::randn({n}), torch::randn({n})};
}

TEST_P(EveryIsa, LayerNormMatchesItsReferenceWithAndWithoutGelu) {
    for (const bool gelu : {false, true})
        for (const int64_t n : {3, 4, 5, 8, 9, 15, 16, 17, 128, 257})
            for (const int64_t rows : {1, 255, 257})
                expect_same_gradients(
                    [&](const Tensors& t) { return ops::layer_norm(t[0], t[1], t[2], gelu); },
                    [&](const Tensors& t) { return ops::reference::layer_norm(t[0], t[1], t[2], gelu); },
                    norm_inputs(rows, n), kTolerance, "n " + std::to_string(n));
}

TEST_P(EveryIsa, LayerNormKeepsItsPrecisionOnLargeOffsets) {
    auto inputs = norm_inputs(4, 128);
    inputs[0] = inputs[0] + 1000.0;  // float32 resolves 6e-5 here, so the rows differ from their exact values by that
    expect_same_gradients([&](const Tensors& t) { return ops::layer_norm(t[0], t[1], t[2], false); },
                          [&](const Tensors& t) { return ops::reference::layer_norm(t[0], t[1], t[2], false); }, inputs,
                          1e-4);
}

TEST_P(EveryIsa, BatchNormGeluMatchesItsReference) {
    for (const int64_t n : {1, 4, 7, 8, 16, 33})
        for (const int64_t rows : {5, 256, 600}) {
            const auto running = [&](torch::ScalarType type) {
                return ops::RunningMoments{torch::zeros({n}, type), torch::ones({n}, type)};
            };
            ops::RunningMoments fused = running(torch::kFloat), exact = running(torch::kDouble);
            expect_same_gradients(
                [&](const Tensors& t) { return ops::batch_norm_gelu(t[0], t[1], t[2], fused, true); },
                [&](const Tensors& t) { return ops::reference::batch_norm_gelu(t[0], t[1], t[2], exact, true); },
                norm_inputs(rows, n), 2e-5,  // few rows: 1/deviation magnifies rounding
                "n " + std::to_string(n) + " rows " + std::to_string(rows));
            EXPECT_LE(relative_difference(fused.mean, exact.mean), 1e-6);
            EXPECT_LE(relative_difference(fused.variance, exact.variance), 1e-6);

            const torch::Tensor x = torch::randn({5, n}), w = torch::randn({n}), b = torch::randn({n});
            const auto wide = [](const torch::Tensor& t) { return t.to(torch::kDouble); };
            EXPECT_LE(relative_difference(ops::batch_norm_gelu(x, w, b, fused, false),
                                          ops::reference::batch_norm_gelu(wide(x), wide(w), wide(b), exact, false)),
                      1e-5)
                << "with running moments";
        }
}

TEST_P(EveryIsa, GeluIsExactFarOut) {
    const torch::Tensor x = torch::tensor({-1e30f, -40.f, -13.f, -6.f, -1e-20f, 0.f, 1e-20f, 6.f, 13.f, 1e30f});
    ops::RunningMoments unit{torch::zeros({10}), torch::ones({10}) - kernels::kNormEpsilon};
    const torch::Tensor y = ops::batch_norm_gelu(x.view({1, 10}), torch::ones({10}), torch::zeros({10}), unit, false);
    const torch::Tensor want = torch::gelu(x.to(torch::kDouble)).to(torch::kFloat);
    for (int i = 0; i < 10; ++i)
        EXPECT_NEAR(y[0][i].item<float>(), want[i].item<float>(), 1e-6 * std::abs(want[i].item<float>()) + 1e-7) << i;
}

}  // namespace
}  // namespace cmr
