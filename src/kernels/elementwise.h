#pragma once
// What is left of a training step beside products and norms: losses, dropout, the optimiser. Memory-bound, in parallel,
// in fixed blocks.

#include <cstdint>

namespace cmr::kernels {

// mean((a - b)²), summed in double.
double mean_square(int64_t n, const float* a, const float* b);
// d = factor * (a - b)
void scaled_difference(int64_t n, const float* a, const float* b, float factor, float* d);

// y = x / (1 - p) where a draw keyed by (seed, index) keeps the element, else 0: the same elements whatever the
// threads, and again on the way back.
void dropout(int64_t n, const float* x, float p, uint64_t seed, float* y);

double sum_of_squares(int64_t n, const float* x);

struct AdamWStep {
    double rate = 5e-4;
    double weight_decay = 1e-5;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    int64_t step = 1;           // counts from 1, for the bias correction
    double gradient_scale = 1;  // clipping
};
void adamw(const AdamWStep& step, int64_t n, const float* gradient, float* weight, float* mean, float* square);

}  // namespace cmr::kernels
