#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"

namespace cmr {
namespace {

// The product over the width, a softmax and logarithms of small probabilities.
constexpr double kTolerance = 5e-5;

Tensors attention_inputs(int64_t windows, int64_t tokens, int64_t width, int64_t heads) {
    const auto normal = [&] { return torch::randn({windows, tokens, width}); };
    return {normal(), normal(), normal(), 0.2 + 2.0 * torch::rand({windows, tokens, heads})};
}

// All that comes out, as one tensor.
torch::Tensor joined(const ops::Attention& a) {
    return torch::cat({a.out.flatten(), a.series_discrepancy.flatten(), 0.5 * a.prior_discrepancy.flatten()});
}

TEST_P(EveryIsa, AttentionMatchesItsReference) {
    struct Case {
        int64_t windows, tokens, width, heads;
    };
    for (const Case& c : {Case{1, 1, 4, 1}, {2, 3, 8, 2}, {3, 16, 16, 4}, {2, 37, 24, 3}, {1, 150, 128, 8}})
        expect_same_gradients(
            [&](const Tensors& t) { return joined(ops::attention(t[0], t[1], t[2], t[3])); },
            [&](const Tensors& t) { return joined(ops::reference::attention(t[0], t[1], t[2], t[3])); },
            attention_inputs(c.windows, c.tokens, c.width, c.heads), kTolerance, "tokens " + std::to_string(c.tokens));
}

// Sharp softmax, very narrow and very wide Gaussians: probabilities of 0 and 1.
TEST_P(EveryIsa, AttentionStaysFiniteWhereProbabilitiesVanish) {
    Tensors inputs = attention_inputs(1, 40, 16, 2);
    inputs[0] = 30 * inputs[0];
    inputs[3].select(2, 0).fill_(1.1e-5);
    inputs[3].select(2, 1).fill_(50);
    for (torch::Tensor& t : inputs) t.requires_grad_(true);
    const torch::Tensor out = joined(ops::attention(inputs[0], inputs[1], inputs[2], inputs[3]));
    EXPECT_TRUE(out.isfinite().all().item<bool>());
    out.sum().backward();
    for (const torch::Tensor& t : inputs) EXPECT_TRUE(t.grad().isfinite().all().item<bool>());
}

// One discrepancy trains the softmax, the other the Gaussian: neither reaches the other's side.
TEST(Attention, DiscrepanciesReachOneSideEach) {
    for (const bool series : {true, false}) {
        Tensors inputs = attention_inputs(1, 8, 8, 2);
        for (torch::Tensor& t : inputs) t.requires_grad_(true);
        const ops::Attention a = ops::attention(inputs[0], inputs[1], inputs[2], inputs[3]);
        (series ? a.series_discrepancy : a.prior_discrepancy).sum().backward();
        EXPECT_EQ(inputs[0].grad().abs().sum().item<double>() > 0, series);
        EXPECT_EQ(inputs[1].grad().abs().sum().item<double>() > 0, series);
        EXPECT_EQ(inputs[3].grad().abs().sum().item<double>() > 0, !series);
    }
}

}  // namespace
}  // namespace cmr
