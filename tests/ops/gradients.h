#pragma once
// A fused float32 operation against the autograd of its float64 reference: the value and every gradient.

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <functional>
#include <vector>

#include "kernels/isa.h"

namespace cmr {

using Tensors = std::vector<torch::Tensor>;
using Op = std::function<torch::Tensor(const Tensors&)>;

// The largest difference, relative to the largest entry: what float32 can promise of a sum of many terms. Tensors that
// are zero but for rounding are measured against 1e-3, with inputs of the order of one.
inline double relative_difference(const torch::Tensor& got, const torch::Tensor& want) {
    const double scale = std::max(want.abs().max().item<double>(), 1e-3);
    return (got.to(torch::kDouble) - want).abs().max().item<double>() / scale;
}

inline void expect_same_gradients(const Op& fused, const Op& reference, const Tensors& inputs, double tolerance,
                                  const std::string& what = "") {
    Tensors single, exact;
    for (const auto& input : inputs) {
        single.push_back(input.to(torch::kFloat).detach().clone().requires_grad_(true));
        exact.push_back(single.back().detach().to(torch::kDouble).requires_grad_(true));
    }
    const torch::Tensor got = fused(single), want = reference(exact);
    ASSERT_EQ(got.sizes(), want.sizes()) << what;
    EXPECT_LE(relative_difference(got.detach(), want.detach()), tolerance) << what << ": value";
    const torch::Tensor upstream = torch::randn(want.sizes(), torch::kDouble);
    torch::autograd::backward({got}, {upstream.to(torch::kFloat)});
    torch::autograd::backward({want}, {upstream.to(torch::kFloat).to(torch::kDouble)});
    for (size_t i = 0; i < inputs.size(); ++i)
        EXPECT_LE(relative_difference(single[i].grad(), exact[i].grad()), tolerance)
            << what << ": gradient of input " << i;
}

// Runs a test once for every instruction set this CPU has (instantiated in isas.cpp).
class EveryIsa : public testing::TestWithParam<kernels::Isa> {
  protected:
    void SetUp() override {
        kernels::use_isa(GetParam());
        torch::manual_seed(1);
    }
    void TearDown() override { kernels::use_isa(kernels::available_isas().back()); }
};

}  // namespace cmr
