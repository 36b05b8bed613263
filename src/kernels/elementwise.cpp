#include "kernels/elementwise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"

namespace cmr::kernels {
namespace {

constexpr int64_t kBlock = 1 << 14;

template <typename Body>
void for_each_block(int64_t n, const Body& body) {
    parallel_for((n + kBlock - 1) / kBlock,
                 [&](int64_t block) { body(block, block * kBlock, std::min((block + 1) * kBlock, n)); });
}

// Σ term(i): each block in double, the blocks in order.
template <typename Term>
double blocked_sum(int64_t n, const Term& term) {
    std::vector<double> sums((n + kBlock - 1) / kBlock, 0.0);
    for_each_block(n, [&](int64_t block, int64_t begin, int64_t end) {
        double sum = 0.0;
        for (int64_t i = begin; i < end; ++i) sum += term(i);
        sums[block] = sum;
    });
    double total = 0.0;
    for (const double sum : sums) total += sum;
    return total;
}

}  // namespace

double mean_square(int64_t n, const float* a, const float* b) {
    return blocked_sum(n,
                       [=](int64_t i) {
                           const double d = static_cast<double>(a[i]) - b[i];
                           return d * d;
                       }) /
           static_cast<double>(std::max<int64_t>(n, 1));
}

void scaled_difference(int64_t n, const float* a, const float* b, float factor, float* d) {
    for_each_block(n, [=](int64_t, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) d[i] = factor * (a[i] - b[i]);
    });
}

void dropout(int64_t n, const float* x, float p, uint64_t seed, float* y) {
    const float scale = 1.0f / (1.0f - p);
    const auto threshold = static_cast<uint32_t>(std::min(4294967295.0, static_cast<double>(p) * 4294967296.0));
    for_each_block(n, [=](int64_t, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const auto draw = static_cast<uint32_t>(Rng::mix(seed + static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u));
            y[i] = draw >= threshold ? x[i] * scale : 0.0f;
        }
    });
}

double sum_of_squares(int64_t n, const float* x) {
    return blocked_sum(n, [=](int64_t i) { return static_cast<double>(x[i]) * x[i]; });
}

void adamw(const AdamWStep& s, int64_t n, const float* gradient, float* weight, float* mean, float* square) {
    const auto keep1 = static_cast<float>(s.beta1), keep2 = static_cast<float>(s.beta2);
    const auto take1 = static_cast<float>(1.0 - s.beta1), take2 = static_cast<float>(1.0 - s.beta2);
    const auto clip = static_cast<float>(s.gradient_scale);
    const auto shrink = static_cast<float>(s.rate * s.weight_decay);
    const double correction1 = 1.0 - std::pow(s.beta1, static_cast<double>(s.step));
    const auto root2 = static_cast<float>(std::sqrt(1.0 - std::pow(s.beta2, static_cast<double>(s.step))));
    const auto rate = static_cast<float>(s.rate / correction1);
    const auto epsilon = static_cast<float>(s.epsilon);
    for_each_block(n, [=](int64_t, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const float g = gradient[i] * clip;
            mean[i] = keep1 * mean[i] + take1 * g;
            square[i] = keep2 * square[i] + take2 * g * g;
            // decay joins the update: by itself, 5e-9 of a weight would be rounded away
            weight[i] -= rate * mean[i] / (std::sqrt(square[i]) / root2 + epsilon) + shrink * weight[i];
        }
    });
}

}  // namespace cmr::kernels
