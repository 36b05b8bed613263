#include "kernels/precision.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"

namespace cmr {
namespace {

// A sum of a few hundred float32 products: 1e-7 each, growing with the root of their number.
constexpr double kTolerance = 5e-6;

void compare(const ops::ConvShape& s, int64_t windows, int64_t length, bool transposed) {
    const int64_t channels = transposed ? s.out : s.in;
    const Tensors inputs{torch::randn({windows, length, channels}), torch::randn({s.out, s.in, s.kernel}),
                         torch::randn({transposed ? s.in : s.out})};
    const auto what = "in " + std::to_string(s.in) + " out " + std::to_string(s.out) + " kernel " +
                      std::to_string(s.kernel) + " stride " + std::to_string(s.stride) + " length " +
                      std::to_string(length);
    if (transposed)
        expect_same_gradients([&](const Tensors& t) { return ops::conv_transpose1d(s, t[0], t[1], t[2]); },
                              [&](const Tensors& t) { return ops::reference::conv_transpose1d(s, t[0], t[1], t[2]); },
                              inputs, kTolerance, what);
    else
        expect_same_gradients([&](const Tensors& t) { return ops::conv1d(s, t[0], t[1], t[2]); },
                              [&](const Tensors& t) { return ops::reference::conv1d(s, t[0], t[1], t[2]); }, inputs,
                              kTolerance, what);
}

TEST_P(EveryIsa, Conv1dMatchesItsReferenceAtEveryVectorWidth) {
    for (const int64_t in : {1, 3, 8})
        for (const int64_t out : {1, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65})
            compare({.in = in, .out = out, .kernel = 3, .pad_left = 1, .pad_right = 1}, 2, 13, false);
}

TEST_P(EveryIsa, Conv1dMatchesItsReferencePastEveryBlock) {
    for (const int64_t length : {1, 2, 5, 6, 7, 191, 192, 193, 300})
        compare({.in = 5, .out = 12, .kernel = 5, .pad_left = 4}, 2, length, false);            // causal
    compare({.in = 130, .out = 70, .kernel = 3, .pad_left = 1, .pad_right = 1}, 2, 40, false);  // depth past 256
    compare({.in = 1, .out = 128, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3}, 3, 101, false);  // stem
    compare({.in = 32, .out = 1, .kernel = 7, .pad_left = 3, .pad_right = 3}, 3, 50, false);
}

TEST(Conv1d, MatchesItsReferenceInPartsOfBf16BothWays) {
    kernels::use_twin(true);
    if (!kernels::missing(kernels::Precision::bf16x3).empty()) GTEST_SKIP() << "no twin here";
    torch::manual_seed(1);
    for (const int64_t in : {24, 32, 64}) {  // a tap's rows end inside a tile, with it, with the next
        ops::ConvShape s{.in = in, .out = 40, .kernel = 5, .stride = 2, .pad_left = 4, .pad_right = 1};
        s.precision = kernels::Precision::bf16x3;
        compare(s, 2, 50, false);
        compare(s, 2, 25, true);
    }
    // What is taken for bf16x3 must not be float32: the way back keeps the precision, too.
    const ops::ConvShape rough{.in = 32, .out = 16, .kernel = 3, .precision = kernels::Precision::bf16};
    torch::Tensor x = torch::randn({1, 30, 32}), w = torch::randn({16, 32, 3});
    Tensors gradients[2];
    for (const auto& shape : {rough, ops::ConvShape{.in = 32, .out = 16, .kernel = 3}}) {
        torch::Tensor a = x.clone().requires_grad_(true), b = w.clone().requires_grad_(true);
        const torch::Tensor y = ops::conv1d(shape, a, b, {});
        torch::autograd::backward({y}, {torch::ones_like(y)});
        gradients[shape.precision == kernels::Precision::bf16] = {y.detach(), a.grad(), b.grad()};
    }
    for (int i = 0; i < 3; ++i) {
        const double off = relative_difference(gradients[1][i], gradients[0][i].to(torch::kDouble));
        EXPECT_GT(off, 1e-5) << i;
        EXPECT_LT(off, 3e-2) << i;
    }
    kernels::use_twin(false);
}

TEST_P(EveryIsa, Conv1dWithStridePassesItsGradientToTheInput) {
    for (const int64_t stride : {2, 3, 4})
        for (const int64_t kernel : {1, 2, 4, 7})
            compare({.in = 3, .out = 4, .kernel = kernel, .stride = stride, .pad_left = 1, .pad_right = 2}, 2, 23,
                    false);
}

TEST_P(EveryIsa, TransposedConvolutionMatchesItsReference) {
    for (const int64_t length : {1, 2, 3, 97, 193})
        for (const int64_t channels : {1, 7, 16, 33})
            compare({.in = channels, .out = 2 * channels, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1}, 2,
                    length, true);
}

TEST_P(EveryIsa, LinearMatchesItsReference) {
    const Tensors inputs{torch::randn({2, 7, 33}), torch::randn({9, 33}), torch::randn({9})};
    expect_same_gradients([](const Tensors& t) { return ops::linear(t[0], t[1], t[2]); },
                          [](const Tensors& t) { return ops::reference::linear(t[0], t[1], t[2]); }, inputs,
                          kTolerance);
    expect_same_gradients([](const Tensors& t) { return ops::linear(t[0], t[1], {}); },
                          [](const Tensors& t) { return ops::reference::linear(t[0], t[1], {}); },
                          {inputs[0], inputs[1]}, kTolerance);
}

TEST(Conv1d, WrongShapesAreNamed) {
    const auto x = torch::randn({1, 10, 3});
    EXPECT_THROW(ops::conv1d({.in = 4, .out = 2}, x, torch::randn({2, 4, 1}), {}), c10::Error);
    EXPECT_THROW(ops::conv1d({.in = 3, .out = 2}, x, torch::randn({2, 3, 2}), {}), c10::Error);
    EXPECT_THROW(ops::conv1d({.in = 3, .out = 2, .kernel = 11}, x, torch::randn({2, 3, 11}), {}), c10::Error);
}

}  // namespace
}  // namespace cmr
