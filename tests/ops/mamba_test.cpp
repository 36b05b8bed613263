#include "base/parallel.h"
#include "kernels/precision.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"

namespace cmr {
namespace {

// Each step of the scan and each product rounds to 6e-8; the gradients of Δ's weights are differences of larger sums.
// Up to 1.4e-5 was measured, at the smallest sizes; the usual size stays below 3e-6.
constexpr double kTolerance = 3e-5;

// Weights as the original implementation draws them, for any sizes.
Tensors random_layers(const ops::MambaShape& s, int layers) {
    Tensors out;
    const auto uniform = [](at::IntArrayRef shape, double bound) { return (2 * torch::rand(shape) - 1) * bound; };
    for (int i = 0; i < layers; ++i) {
        out.push_back(1 + 0.1 * torch::randn({s.model}));
        out.push_back(0.1 * torch::randn({s.model}));
        out.push_back(uniform({2 * s.inner, s.model}, 1 / std::sqrt(s.model)));
        out.push_back(uniform({s.inner, s.conv}, 1 / std::sqrt(s.conv)));
        out.push_back(uniform({s.inner}, 1 / std::sqrt(s.conv)));
        out.push_back(uniform({s.projected(), s.inner}, 1 / std::sqrt(s.inner)));
        out.push_back(uniform({s.inner, s.rank}, 1 / std::sqrt(s.rank)));
        const torch::Tensor dt = torch::exp(torch::rand({s.inner}) * std::log(100.0) + std::log(1e-3));
        out.push_back(dt + torch::log(-torch::expm1(-dt)));
        out.push_back(torch::log(torch::arange(1, s.state + 1).to(torch::kFloat)).repeat({s.inner, 1}).contiguous() +
                      0.1 * torch::randn({s.inner, s.state}));
        out.push_back(torch::randn({s.inner}));
        out.push_back(uniform({s.model, s.inner}, 1 / std::sqrt(s.inner)));
    }
    return out;
}

Tensors with_input(const torch::Tensor& h, Tensors layers) {
    layers.insert(layers.begin(), h);
    return layers;
}

torch::Tensor fused(const ops::MambaShape& s, const Tensors& t) {
    return ops::mamba_stack(s, t[0], Tensors(t.begin() + 1, t.end()));
}
torch::Tensor reference(const ops::MambaShape& s, const Tensors& t) {
    return ops::reference::mamba_stack(s, t[0], Tensors(t.begin() + 1, t.end()));
}

void compare(const ops::MambaShape& s, int layers, int64_t windows, int64_t tokens, double tolerance = kTolerance) {
    expect_same_gradients([&](const Tensors& t) { return fused(s, t); },
                          [&](const Tensors& t) { return reference(s, t); },
                          with_input(torch::randn({windows, tokens, s.model}), random_layers(s, layers)), tolerance,
                          "model " + std::to_string(s.model) + " inner " + std::to_string(s.inner) + " state " +
                              std::to_string(s.state) + " tokens " + std::to_string(tokens));
}

TEST_P(EveryIsa, MambaMatchesItsReferenceAtEveryWidth) {
    for (const int64_t inner : {1, 7, 8, 9, 15, 16, 17, 33})
        compare({.model = 5, .inner = inner, .state = 3, .conv = 2, .rank = 1}, 1, 2, 9);
    for (const int64_t state : {1, 2, 4, 5, 8, 16, 17})
        compare({.model = 8, .inner = 16, .state = state, .conv = 4, .rank = 2}, 1, 2, 9);
    for (const int64_t model : {1, 4, 7, 16, 31, 33})
        compare({.model = model, .inner = 16, .state = 2, .conv = 1, .rank = 3}, 1, 2, 9);
}

TEST_P(EveryIsa, MambaMatchesItsReferenceAtEveryBoundaryOfTime) {
    for (const int64_t tokens : {1, 2, 3, 4, 23, 24, 25, 47, 48, 49, 95, 96, 97, 192, 200})
        compare({.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2}, 2, 2, tokens);
}

TEST_P(EveryIsa, MambaMatchesItsReferenceAtItsUsualSize) { compare({}, 2, 2, 100, 1e-5); }

// Training in bf16x3 is as exact as in float32: the tolerance of float32 at its usual size.
TEST(Mamba, MatchesItsReferenceInPartsOfBf16) {
    kernels::use_twin(true);
    if (!kernels::missing(kernels::Precision::bf16x3).empty()) GTEST_SKIP() << "no twin here";
    torch::manual_seed(1);
    compare({.precision = kernels::Precision::bf16x3}, 2, 2, 100, 1e-5);
    kernels::use_twin(false);
}

TEST_P(EveryIsa, MambaMatchesItsReferenceOverManyWindows) {
    compare({.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2}, 3, 40, 60);  // several lanes
}

TEST_P(EveryIsa, LargeStepsForgetWithoutNaN) {
    const ops::MambaShape s{.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2};
    Tensors layers = random_layers(s, 1);
    layers[7] = torch::full({s.inner}, 300.0);  // Δ ≈ 300, so Δ |A| up to 1,200: far past the range of exp
    expect_same_gradients([&](const Tensors& t) { return fused(s, t); },
                          [&](const Tensors& t) { return reference(s, t); },
                          with_input(torch::randn({1, 40, s.model}), layers), 1e-4);
}

TEST_P(EveryIsa, ExtremeInputsStayFinite) {
    const ops::MambaShape s{.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2};
    for (const double size : {0.0, 1e-38, 1e-20, 1e6, 1e15}) {
        torch::Tensor h = (torch::randn({1, 100, s.model}) * size).requires_grad_(true);
        Tensors layers = random_layers(s, 2);
        for (auto& layer : layers) layer.requires_grad_(true);
        const torch::Tensor out = ops::mamba_stack(s, h, layers);
        torch::autograd::backward({out}, {torch::ones_like(out)});
        EXPECT_TRUE(torch::isfinite(out).all().item<bool>()) << size;
        EXPECT_TRUE(torch::isfinite(h.grad()).all().item<bool>()) << size;
        for (const auto& layer : layers) EXPECT_TRUE(torch::isfinite(layer.grad()).all().item<bool>()) << size;
    }
}

TEST_P(EveryIsa, ValuesAndGradientsHaveTheSameBitsForAnyNumberOfThreads) {
    const ops::MambaShape s{};
    const torch::Tensor h = torch::randn({5, 230, s.model});
    const Tensors layers = random_layers(s, 3);
    const auto run = [&](int threads) {
        set_thread_count(threads);
        Tensors leaves = with_input(h.clone(), layers);
        for (auto& leaf : leaves) leaf = leaf.detach().clone().requires_grad_(true);
        const torch::Tensor out = fused(s, leaves);
        torch::autograd::backward({out}, {torch::ones_like(out)});
        Tensors results{out.detach()};
        for (const auto& leaf : leaves) results.push_back(leaf.grad());
        return results;
    };
    const int before = thread_count();
    const Tensors alone = run(1);
    for (const int threads : {2, 3, 7}) {
        const Tensors shared = run(threads);
        for (size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(torch::equal(alone[i], shared[i])) << i;
    }
    set_thread_count(before);
}

TEST_P(EveryIsa, AWindowAloneAndInABatchHasTheSameBitsWithAndWithoutATape) {
    const ops::MambaShape s{};
    const torch::Tensor h = torch::randn({7, 130, s.model});
    Tensors layers = random_layers(s, 2);
    const torch::Tensor together = ops::mamba_stack(s, h, layers);
    for (int64_t w = 0; w < h.size(0); ++w)
        EXPECT_TRUE(torch::equal(together[w], ops::mamba_stack(s, h.slice(0, w, w + 1).contiguous(), layers)[0])) << w;
    layers[0].requires_grad_(true);
    EXPECT_TRUE(torch::equal(together, ops::mamba_stack(s, h, layers).detach()));
}

TEST_P(EveryIsa, MambaIsCausal) {
    const ops::MambaShape s{.model = 8, .inner = 16, .state = 4, .conv = 4, .rank = 2};
    const Tensors layers = random_layers(s, 2);
    torch::Tensor h = torch::randn({1, 120, s.model});
    const torch::Tensor before = ops::mamba_stack(s, h, layers);
    h[0][100] += 1.0;
    const torch::Tensor after = ops::mamba_stack(s, h, layers);
    EXPECT_TRUE(torch::equal(before.slice(1, 0, 96), after.slice(1, 0, 96)));  // scan blocks before it keep their bits
    // In its own block it may change the polynomial that all tokens of a channel take, which differ by 1e-7.
    EXPECT_LE((before - after).slice(1, 96, 100).abs().max().item<double>(), 1e-6);
    EXPECT_FALSE(torch::equal(before.slice(1, 100), after.slice(1, 100)));
}

TEST(Mamba, ATapeIsUsedOnce) {
    const ops::MambaShape s{.model = 4, .inner = 8, .state = 2, .conv = 2, .rank = 1};
    const torch::Tensor h = torch::randn({1, 5, s.model}).requires_grad_(true);
    const torch::Tensor out = ops::mamba_stack(s, h, random_layers(s, 1));
    torch::autograd::backward({out}, {torch::ones_like(out)}, /*retain_graph=*/true);
    EXPECT_THROW(torch::autograd::backward({out}, {torch::ones_like(out)}), c10::Error);
}

}  // namespace
}  // namespace cmr
