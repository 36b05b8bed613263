#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"

namespace cmr {
namespace {

TEST(MeanSquare, MatchesItsReference) {
    for (const int64_t n : {1, 7, 1 << 14, (1 << 14) + 1})
        expect_same_gradients([](const Tensors& t) { return ops::mean_square(t[0], t[1]); },
                              [](const Tensors& t) { return ops::reference::mean_square(t[0], t[1]); },
                              {torch::randn({n}), torch::randn({n})}, 1e-6);
}

TEST(Dropout, KeepsTheMeanAndTheSameElementsOnTheWayBack) {
    const torch::Tensor x = torch::ones({1000, 100}).requires_grad_(true);
    const torch::Tensor y = ops::dropout(x, 0.1, 7);
    torch::autograd::backward({y}, {torch::ones_like(y)});
    EXPECT_TRUE(torch::equal(y.detach(), x.grad()));  // x is 1, so both are the mask
    EXPECT_NEAR(y.mean().item<double>(), 1.0, 0.005);
    EXPECT_NEAR((y == 0).to(torch::kDouble).mean().item<double>(), 0.1, 0.005);
    EXPECT_TRUE(torch::equal(y, ops::dropout(x, 0.1, 7)));
    EXPECT_FALSE(torch::equal(y, ops::dropout(x, 0.1, 8)));
    EXPECT_TRUE(torch::equal(x, ops::dropout(x, 0.0, 7)));
}

}  // namespace
}  // namespace cmr
