#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/every_isa.h"
#include "kernels/kernels.h"
#include "kernels/naive.h"

namespace cmr::kernels {
namespace {

using naive::Values;

// Relative to the sum of the products' magnitudes: a rounding of 6e-8 per step, of a running sum that is smaller than
// that.
constexpr double kTolerance = 5e-7;
constexpr float kGuard = 12345.0f;                                // stands where nothing may be written
constexpr float kTrap = std::numeric_limits<float>::quiet_NaN();  // stands where nothing may be read

// A matrix laid out with two strides, with traps in the gaps and behind the end.
struct Laid {
    Values<float> storage;
    int64_t row, column;

    Laid(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride, Rng& rng)
        : storage((rows - 1) * row_stride + (columns - 1) * column_stride + 64, kTrap),
          row(row_stride),
          column(column_stride) {
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) storage[i * row + j * column] = static_cast<float>(rng.normal());
    }
    Strided view() const { return {storage.data(), row, column}; }
};

enum class Form { packed, unpacked };

// C of m rows, `gap` guarded floats behind each row and two guarded rows behind the last.
struct Result {
    int64_t m, n, row;
    Values<float> storage;

    Result(int64_t rows, int64_t columns, float fill, int64_t gap = 5)
        : m(rows), n(columns), row(columns + gap), storage((rows + 2) * row, kGuard) {
        for (int64_t i = 0; i < m; ++i) std::fill_n(&storage[i * row], n, fill);
    }
    int64_t overwritten() const {
        int64_t count = 0;
        for (int64_t i = 0; i < std::ssize(storage); ++i)
            if ((i / row >= m || i % row >= n) && storage[i] != kGuard) ++count;
        return count;
    }
};

void multiply(Form form, int64_t k, Strided a, Strided b, Result& c, bool accumulate) {
    if (form == Form::unpacked) return kernels().gemm_unpacked(c.m, c.n, k, a, b, c.storage.data(), c.row, accumulate);
    const int64_t floats = kernels().packed_size(k, c.n);
    Values<float> packed(floats + 16, kGuard);
    kernels().pack(k, c.n, b, packed.data());
    for (int64_t i = floats; i < floats + 16; ++i) EXPECT_EQ(packed[i], kGuard) << "packed_size is too small";
    kernels().gemm(c.m, c.n, k, a, packed.data(), c.storage.data(), c.row, accumulate);
}

void expect_product(Form form, int64_t m, int64_t n, int64_t k, Strided a, Strided b, bool accumulate) {
    const float before = accumulate ? 0.5f : 0.0f;
    Result c(m, n, accumulate ? before : kTrap);
    multiply(form, k, a, b, c, accumulate);
    const auto size = [&] {
        return testing::Message() << m << " x " << n << " x " << k << (accumulate ? ", added" : "");
    };
    EXPECT_EQ(c.overwritten(), 0) << size();
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double wanted = before, magnitude = before;
            for (int64_t p = 0; p < k; ++p) {
                const double term = double{a.data[i * a.row + p * a.column]} * b.data[p * b.row + j * b.column];
                wanted += term;
                magnitude += std::abs(term);
            }
            ASSERT_NEAR(c.storage[i * c.row + j], wanted, kTolerance * magnitude) << size() << " at " << i << ", " << j;
        }
}

Values<int64_t> column_counts() {
    const int64_t lanes = kernels().lanes;
    return {1,         lanes - 1,     lanes,     lanes + 1,     2 * lanes,    2 * lanes + 1,
            3 * lanes, 4 * lanes - 1, 4 * lanes, 4 * lanes + 1, 9 * lanes + 3};
}

TEST_P(EveryIsa, GemmMatchesThePlainProductAroundEveryBoundary) {
    Rng rng(1);
    for (const int64_t k : {1, 2, 255, 256, 257, 513})
        for (const int64_t n : column_counts())
            for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 12, 13}) {
                const Laid a(m, k, k + 3, 1, rng), b(k, n, n + 2, 1, rng);
                for (const Form form : {Form::packed, Form::unpacked})
                    for (const bool accumulate : {false, true})
                        expect_product(form, m, n, k, a.view(), b.view(), accumulate);
            }
}

TEST_P(EveryIsa, GemmReadsTransposedMatrices) {
    Rng rng(2);
    const int64_t m = 13, k = 300;
    for (const int64_t n : column_counts()) {
        const Laid a(m, k, 1, m + 1, rng), b(k, n, 1, k + 2, rng);
        for (const Form form : {Form::packed, Form::unpacked}) expect_product(form, m, n, k, a.view(), b.view(), false);
    }
}

// The rows of a convolution: each begins 3 numbers after the one before and shares the rest with it.
TEST_P(EveryIsa, GemmReadsOverlappingRows) {
    Rng rng(3);
    const int64_t m = 20, n = 19, k = 15;
    const Values<float> signal = naive::random(3 * (m - 1) + k, rng);
    const Laid b(k, n, n, 1, rng);
    for (const Form form : {Form::packed, Form::unpacked}) {
        expect_product(form, m, n, k, {signal.data(), 3, 1}, b.view(), true);
        expect_product(form, m, n, k, {signal.data(), 0, 1}, b.view(), false);  // the same row again and again
    }
}

TEST_P(EveryIsa, TheBitsOfARowDoNotDependOnTheRowsBesideIt) {
    Rng rng(4);
    const int64_t m = 23, k = 300;
    for (const int64_t n : column_counts()) {
        const Laid a(m, k, k, 1, rng), b(k, n, n, 1, rng);
        for (const Form form : {Form::packed, Form::unpacked}) {
            Result together(m, n, 0.25f);
            multiply(form, k, a.view(), b.view(), together, true);
            for (int64_t i = 0; i < m; ++i) {
                Result alone(1, n, 0.25f);
                multiply(form, k, {a.view().data + i * a.row, a.row, a.column}, b.view(), alone, true);
                EXPECT_EQ(std::memcmp(alone.storage.data(), &together.storage[i * together.row], n * sizeof(float)), 0)
                    << "row " << i << " of " << n << " columns";
            }
        }
    }
}

TEST_P(EveryIsa, GemmOfNoRowsWritesNothing) {
    Rng rng(5);
    const Laid a(1, 8, 8, 1, rng), b(8, 9, 9, 1, rng);
    for (const Form form : {Form::packed, Form::unpacked}) {
        Result c(0, 9, 0.0f);
        multiply(form, 8, a.view(), b.view(), c, false);
        EXPECT_EQ(c.overwritten(), 0);
    }
}

}  // namespace
}  // namespace cmr::kernels
