#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "kernels/every_isa.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

// Relative to the sum of the products' magnitudes: a rounding of 1e-16 per step of a running sum.
constexpr double kTolerance = 1e-15;
constexpr double kGuard = 12345.0;                                  // stands where nothing may be written
constexpr double kTrap = std::numeric_limits<double>::quiet_NaN();  // stands where nothing may be read

struct Laid {
    std::vector<double> storage;
    int64_t row, column;

    Laid(int64_t rows, int64_t columns, bool transposed, Rng& rng)
        : row(transposed ? 1 : columns + 3), column(transposed ? rows + 2 : 1) {
        storage.assign(rows * row + columns * column + rows * columns + 64, kTrap);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) storage[i * row + j * column] = rng.normal();
    }
    double at(int64_t i, int64_t j) const { return storage[i * row + j * column]; }
    StridedDouble view(int64_t first_row = 0) const { return {storage.data() + first_row * row, row, column}; }
};

// [m, n] with five guarded numbers behind each row and two guarded rows behind the last.
std::vector<double> guarded(int64_t m, int64_t n, double fill) {
    std::vector<double> c((m + 2) * (n + 5), kGuard);
    for (int64_t i = 0; i < m; ++i) std::fill_n(&c[i * (n + 5)], n, fill);
    return c;
}

void expect_product(int64_t m, int64_t n, int64_t k, bool a_transposed, bool b_transposed, bool accumulate, Rng& rng) {
    const Laid a(m, k, a_transposed, rng), b(k, n, b_transposed, rng);
    const double before = accumulate ? 0.5 : 0.0;
    std::vector<double> c = guarded(m, n, accumulate ? before : kTrap);
    kernels().gemm_double(m, n, k, a.view(), b.view(), c.data(), n + 5, accumulate);
    for (int64_t i = 0; i < m + 2; ++i)
        for (int64_t j = 0; j < n + 5; ++j) {
            const double found = c[i * (n + 5) + j];
            if (i >= m || j >= n) {
                ASSERT_EQ(found, kGuard) << m << " x " << n << " x " << k << " at " << i << ", " << j;
                continue;
            }
            double wanted = before, magnitude = before;
            for (int64_t p = 0; p < k; ++p) {
                wanted += a.at(i, p) * b.at(p, j);
                magnitude += std::abs(a.at(i, p) * b.at(p, j));
            }
            ASSERT_NEAR(found, wanted, kTolerance * magnitude * std::sqrt(static_cast<double>(k)))
                << m << " x " << n << " x " << k << " at " << i << ", " << j;
        }
}

TEST_P(EveryIsa, ProductsInDoubleMatchThePlainOnesAroundEveryBoundary) {
    Rng rng(1);
    for (const int64_t k : {1, 2, 127, 128, 129, 300})
        for (const int64_t n : {1, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 67})
            for (const int64_t m : {1, 5, 6, 7, 13})
                for (const bool transposed : {false, true})
                    expect_product(m, n, k, transposed, !transposed, k % 2 == 0, rng);
    expect_product(kDoubleTile, kDoubleTile, 140, true, false, true, rng);
    expect_product(kDoubleTile - 1, kDoubleTile - 1, 130, false, false, false, rng);
}

TEST_P(EveryIsa, ARowOfAProductInDoubleHasTheSameBitsAlone) {
    Rng rng(2);
    const int64_t m = 20, k = 200;
    for (const int64_t n : {5, 33, 64}) {
        const Laid a(m, k, false, rng), b(k, n, false, rng);
        std::vector<double> together = guarded(m, n, 0.25);
        kernels().gemm_double(m, n, k, a.view(), b.view(), together.data(), n + 5, true);
        for (int64_t i = 0; i < m; ++i) {
            std::vector<double> alone = guarded(1, n, 0.25);
            kernels().gemm_double(1, n, k, a.view(i), b.view(), alone.data(), n + 5, true);
            EXPECT_TRUE(std::equal(alone.begin(), alone.begin() + n, together.begin() + i * (n + 5))) << i;
        }
    }
}

}  // namespace
}  // namespace cmr::kernels
