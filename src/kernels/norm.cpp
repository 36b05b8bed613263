#include "kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

constexpr int64_t kRowsPerBlock = 256;

int64_t blocks_of(int64_t rows) { return (rows + kRowsPerBlock - 1) / kRowsPerBlock; }

// body(block, first row, rows of the block)
template <typename Body>
void for_each_block(int64_t rows, const Body& body) {
    parallel_for(blocks_of(rows), [&](int64_t block) {
        const int64_t first = block * kRowsPerBlock;
        body(block, first, std::min(kRowsPerBlock, rows - first));
    });
}

// Per-block sums of `width` columns, added in the order of the blocks.
class BlockSums {
  public:
    BlockSums(int64_t rows, int64_t width) : blocks_(blocks_of(rows)), width_(width), sums_(blocks_ * width, 0.0f) {}
    float* of(int64_t block) { return sums_.data() + block * width_; }
    std::vector<double> total() const {
        std::vector<double> total(width_, 0.0);
        for (int64_t block = 0; block < blocks_; ++block)
            for (int64_t j = 0; j < width_; ++j) total[j] += sums_[block * width_ + j];
        return total;
    }

  private:
    int64_t blocks_, width_;
    std::vector<float> sums_;
};

// The affine map that normalises: x * scale + shift.
struct Affine {
    std::vector<float> inverse, scale, shift;
    Affine(int64_t n, const BatchMoments& moments, const float* weight, const float* bias)
        : inverse(n), scale(n), shift(n) {
        for (int64_t j = 0; j < n; ++j) {
            const double width = 1.0 / std::sqrt(static_cast<double>(moments.variance[j]) + kNormEpsilon);
            inverse[j] = static_cast<float>(width);
            scale[j] = static_cast<float>(width * weight[j]);
            shift[j] = static_cast<float>(bias[j] - static_cast<double>(moments.mean[j]) * width * weight[j]);
        }
    }
};

}  // namespace

void layer_norm_forward(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias, bool gelu,
                        float* y) {
    for_each_block(rows, [&](int64_t, int64_t first, int64_t count) {
        kernels().layer_norm(count, n, x + first * n, weight, bias, gelu, y + first * n);
    });
}

void layer_norm_backward(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias, bool gelu,
                         const float* dy, float* dx, float* d_weight, float* d_bias) {
    BlockSums sums(rows, 2 * n);
    for_each_block(rows, [&](int64_t block, int64_t first, int64_t count) {
        kernels().layer_norm_backward(count, n, x + first * n, weight, bias, gelu, dy + first * n, dx + first * n,
                                      sums.of(block), sums.of(block) + n);
    });
    const std::vector<double> total = sums.total();
    std::copy_n(total.begin(), n, d_weight);
    std::copy_n(total.begin() + n, n, d_bias);
}

BatchMoments batch_moments(int64_t rows, int64_t n, const float* x) {
    const auto mean_of = [&](const float* centre) {
        BlockSums sums(rows, n);
        for_each_block(rows, [&](int64_t block, int64_t first, int64_t count) {
            kernels().column_moments(count, n, x + first * n, centre, sums.of(block));
        });
        std::vector<float> mean(n);
        const std::vector<double> total = sums.total();
        for (int64_t j = 0; j < n; ++j) mean[j] = static_cast<float>(total[j] / static_cast<double>(rows));
        return mean;
    };
    BatchMoments moments;
    moments.mean = mean_of(nullptr);
    moments.variance = mean_of(moments.mean.data());
    return moments;
}

void batch_norm_gelu_forward(int64_t rows, int64_t n, const float* x, const BatchMoments& moments, const float* weight,
                             const float* bias, float* y) {
    const Affine affine(n, moments, weight, bias);
    for_each_block(rows, [&](int64_t, int64_t first, int64_t count) {
        kernels().scale_gelu(count, n, x + first * n, affine.scale.data(), affine.shift.data(), y + first * n);
    });
}

void batch_norm_gelu_backward(int64_t rows, int64_t n, const float* x, const BatchMoments& moments, const float* weight,
                              const float* bias, const float* dy, float* dx, float* d_weight, float* d_bias) {
    const Affine affine(n, moments, weight, bias);
    BlockSums sums(rows, 2 * n);
    for_each_block(rows, [&](int64_t block, int64_t first, int64_t count) {
        kernels().scale_gelu_backward(count, n, x + first * n, affine.scale.data(), affine.shift.data(),
                                      moments.mean.data(), affine.inverse.data(), dy + first * n, dx + first * n,
                                      sums.of(block), sums.of(block) + n);
    });
    const std::vector<double> total = sums.total();
    std::vector<float> mean_d(n), mean_dx(n);
    for (int64_t j = 0; j < n; ++j) {
        d_bias[j] = static_cast<float>(total[j]);
        d_weight[j] = static_cast<float>(total[n + j]);
        mean_d[j] = static_cast<float>(total[j] / static_cast<double>(rows));
        mean_dx[j] = static_cast<float>(total[n + j] / static_cast<double>(rows));
    }
    for_each_block(rows, [&](int64_t, int64_t first, int64_t count) {
        kernels().batch_norm_backward(count, n, x + first * n, affine.scale.data(), moments.mean.data(),
                                      affine.inverse.data(), mean_d.data(), mean_dx.data(), dx + first * n);
    });
}

}  // namespace cmr::kernels
