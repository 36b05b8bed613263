#pragma once
// One-dimensional convolution over token-major data as matrix products, in parallel, forward and backward. A linear
// layer is the kernel of width 1; a transposed convolution is `conv_backward_data` run forwards.
//
// y[w, t, o] = bias[o] + Σ_{j, i} x[w, t * stride - pad_left + j, i] * weight[o, i, j], zero outside the window.

#include <cstdint>

#include "base/buffer.h"
#include "kernels/kernels.h"

namespace cmr::kernels {

struct ConvShape {
    int64_t in = 1;
    int64_t out = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t pad_left = 0;
    int64_t pad_right = 0;
    Precision precision = Precision::float32;

    int64_t out_length(int64_t length) const { return (length + pad_left + pad_right - kernel) / stride + 1; }
};

// Weights [out, in, kernel] packed as right-hand sides for the current instruction set.
class ConvWeights {
  public:
    enum class For { forward, backward_data };
    ConvWeights(const ConvShape& shape, const float* weight, For use);

  private:
    friend void conv_forward(const ConvShape&, const ConvWeights&, int64_t, int64_t, const float*, const float*,
                             float*);
    friend void conv_backward_data(const ConvShape&, const ConvWeights&, int64_t, int64_t, const float*, const float*,
                                   float*);
    Buffer packed_;
};

// x: [windows, length, in] → y: [windows, out_length(length), out]. `bias` [out] may be null.
void conv_forward(const ConvShape& shape, const ConvWeights& weights, int64_t windows, int64_t length, const float* x,
                  const float* bias, float* y);

// dy: [windows, out_length(length), out] → dx: [windows, length, in], plus `bias` [in] where not null.
void conv_backward_data(const ConvShape& shape, const ConvWeights& weights, int64_t windows, int64_t length,
                        const float* dy, const float* bias, float* dx);

// d_weight: [out, in, kernel], overwritten.
void conv_backward_weight(const ConvShape& shape, int64_t windows, int64_t length, const float* x, const float* dy,
                          float* d_weight);

// to[j] = Σ_i x[i, j]: the gradient of a bias.
void column_sums(int64_t rows, int64_t columns, const float* x, float* to);

}  // namespace cmr::kernels
