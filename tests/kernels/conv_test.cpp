#include "kernels/conv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/every_isa.h"
#include "kernels/naive.h"

namespace cmr::kernels {
namespace {

using naive::Values;

// Sums of up to 1,200 products of numbers near 1.
constexpr double kTolerance = 5e-6;

struct Data {
    ConvShape shape;
    int64_t windows, length, outputs;
    Values<float> x, weight, bias, dy, dx_bias;

    Data(const ConvShape& s, int64_t window_count, int64_t window_length)
        : shape(s), windows(window_count), length(window_length), outputs(s.out_length(window_length)) {
        Rng rng(1);
        x = naive::random(windows * length * s.in, rng);
        weight = naive::random(s.out * s.in * s.kernel, rng);
        bias = naive::random(s.out, rng);
        dy = naive::random(windows * outputs * s.out, rng);
        dx_bias = naive::random(s.in, rng);
    }
};

// Calls visit(x index, weight index, y index) for every product that the convolution sums.
template <typename Visit>
void for_each_product(const Data& d, const Visit& visit) {
    const ConvShape& s = d.shape;
    for (int64_t w = 0; w < d.windows; ++w)
        for (int64_t t = 0; t < d.outputs; ++t)
            for (int64_t j = 0; j < s.kernel; ++j) {
                const int64_t from = t * s.stride - s.pad_left + j;
                if (from < 0 || from >= d.length) continue;
                for (int64_t i = 0; i < s.in; ++i)
                    for (int64_t o = 0; o < s.out; ++o)
                        visit((w * d.length + from) * s.in + i, (o * s.in + i) * s.kernel + j,
                              (w * d.outputs + t) * s.out + o);
            }
}

Values<double> repeated(const Values<float>& row, int64_t times) {
    Values<double> values;
    for (int64_t i = 0; i < times; ++i) values.insert(values.end(), row.begin(), row.end());
    return values;
}

Values<float> forward(const Data& d, bool with_bias = true) {
    Values<float> y(d.dy.size(), NAN);
    const ConvWeights weights(d.shape, d.weight.data(), ConvWeights::For::forward);
    conv_forward(d.shape, weights, d.windows, d.length, d.x.data(), with_bias ? d.bias.data() : nullptr, y.data());
    return y;
}

Values<float> backward_data(const Data& d, bool with_bias = true) {
    Values<float> dx(d.x.size(), NAN);
    const ConvWeights weights(d.shape, d.weight.data(), ConvWeights::For::backward_data);
    conv_backward_data(d.shape, weights, d.windows, d.length, d.dy.data(), with_bias ? d.dx_bias.data() : nullptr,
                       dx.data());
    return dx;
}

Values<float> backward_weight(const Data& d) {
    Values<float> d_weight(d.weight.size(), NAN);
    conv_backward_weight(d.shape, d.windows, d.length, d.x.data(), d.dy.data(), d_weight.data());
    return d_weight;
}

void expect_all(const ConvShape& s, int64_t windows, int64_t length) {
    const Data d(s, windows, length);
    Values<double> y = repeated(d.bias, windows * d.outputs), dx = repeated(d.dx_bias, windows * length);
    Values<double> d_weight(d.weight.size(), 0.0);
    for_each_product(d, [&](int64_t x, int64_t w, int64_t to) {
        y[to] += static_cast<double>(d.x[x]) * d.weight[w];
        dx[x] += static_cast<double>(d.dy[to]) * d.weight[w];
        d_weight[w] += static_cast<double>(d.dy[to]) * d.x[x];
    });
    const auto size = [&] {
        return testing::Message() << "in " << s.in << " out " << s.out << " kernel " << s.kernel << " stride "
                                  << s.stride << " pads " << s.pad_left << " " << s.pad_right << " length " << length;
    };
    EXPECT_LE(naive::difference(forward(d), y), kTolerance) << size();
    EXPECT_LE(naive::difference(backward_data(d), dx), kTolerance) << "data, " << size();
    EXPECT_LE(naive::difference(backward_weight(d), d_weight), kTolerance) << "weight, " << size();
}

TEST_P(EveryIsa, ConvolutionMatchesItsFormulaAtEveryWidth) {
    for (const int64_t in : {1, 5, 64, 65})
        for (const int64_t out : {1, 7, 8, 17, 65})
            expect_all({.in = in, .out = out, .kernel = 3, .pad_left = 1, .pad_right = 1}, 2, 9);
}

TEST_P(EveryIsa, ConvolutionMatchesItsFormulaForEveryStrideAndPad) {
    for (const int64_t stride : {1, 2, 3, 5})
        for (const int64_t kernel : {1, 2, 3, 4, 7})
            for (const int64_t left : {0, 1, 3})
                for (const int64_t right : {0, 2})
                    expect_all(
                        {.in = 2, .out = 3, .kernel = kernel, .stride = stride, .pad_left = left, .pad_right = right},
                        2, 23);
}

// Some positions are reached by no output, and some phases of the stride have no position at all.
TEST_P(EveryIsa, ConvolutionMatchesItsFormulaForWindowsShorterThanItsStrideOrKernel) {
    for (const int64_t length : {1, 2, 3, 4, 5})
        for (const int64_t stride : {1, 2, 3, 4, 6}) {
            expect_all({.in = 2, .out = 3, .kernel = 7, .stride = stride, .pad_left = 3, .pad_right = 3}, 2, length);
            expect_all({.in = 2, .out = 3, .kernel = 2, .stride = stride, .pad_left = 1, .pad_right = 0}, 2, length);
        }
}

TEST_P(EveryIsa, ConvolutionMatchesItsFormulaPastEveryBlockOfRows) {
    for (const int64_t length : {191, 192, 193, 400})
        expect_all({.in = 3, .out = 4, .kernel = 5, .pad_left = 4}, 2, length);
    expect_all({.in = 1, .out = 16, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3}, 2, 1000);
    expect_all({.in = 240, .out = 6, .kernel = 5, .pad_left = 4}, 1, 30);  // a depth of 1,200
}

// Short windows share products: of plants, of predictor, decoders and stem, and with more columns than a task has.
TEST_P(EveryIsa, ConvolutionMatchesItsFormulaOverManyShortWindows) {
    for (const int64_t length : {1, 4, 6, 8, 24, 48, 49, 64, 95, 96, 97}) {
        expect_all({.in = 5, .out = 7, .kernel = 5, .pad_left = 4}, 60, length);
        expect_all({.in = 4, .out = 6, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1}, 40, 2 * length);
    }
    expect_all({.in = 1, .out = 20, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3}, 70, 32);
    expect_all({.in = 1, .out = 20, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3}, 70, 24);
    expect_all({.in = 32, .out = 1, .kernel = 7, .pad_left = 3, .pad_right = 3}, 20, 32);
    expect_all({.in = 130, .out = 10, .kernel = 3, .pad_left = 1, .pad_right = 1}, 20, 8);
    expect_all({.in = 10, .out = 530, .kernel = 2, .pad_left = 1}, 15, 8);
    expect_all({.in = 3, .out = 2, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1}, 30, 7);  // phases differ
}

TEST_P(EveryIsa, ConvolutionWithoutBiasStartsFromZero) {
    Data d({.in = 3, .out = 5, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1}, 2, 12);
    std::fill(d.bias.begin(), d.bias.end(), 0.0f);
    std::fill(d.dx_bias.begin(), d.dx_bias.end(), 0.0f);
    EXPECT_EQ(forward(d, false), forward(d, true));
    EXPECT_EQ(backward_data(d, false), backward_data(d, true));
}

TEST_P(EveryIsa, ALinearLayerIsAKernelOfWidthOne) { expect_all({.in = 33, .out = 9}, 3, 70); }

TEST_P(EveryIsa, ConvolutionHasTheSameBitsForAnyThreadsAndBatch) {
    const ConvShape half{.in = 6, .out = 9, .kernel = 4, .stride = 2, .pad_left = 1, .pad_right = 1};
    const ConvShape causal{.in = 40, .out = 300, .kernel = 5, .pad_left = 4};  // more work than one thread is left with
    const ConvShape stem{.in = 1, .out = 20, .kernel = 7, .stride = 4, .pad_left = 3, .pad_right = 3};
    struct Case {
        ConvShape shape;
        int64_t windows, length;
    };
    for (const Case& c : {Case{half, 5, 900}, Case{half, 50, 14}, Case{causal, 30, 8}, Case{causal, 5, 97},
                          Case{causal, 9, 64}, Case{stem, 100, 32}, Case{stem, 100, 25}}) {
        const Data d(c.shape, c.windows, c.length);
        set_thread_count(1);
        const Values<float> y = forward(d), dx = backward_data(d), d_weight = backward_weight(d);
        for (const int threads : kThreadCounts) {
            set_thread_count(threads);
            EXPECT_EQ(forward(d), y);
            EXPECT_EQ(backward_data(d), dx);
            EXPECT_EQ(backward_weight(d), d_weight);
        }
        for (int64_t w = 0; w < d.windows; ++w) {
            Data alone(d.shape, 1, d.length);
            alone.weight = d.weight;
            alone.bias = d.bias;
            alone.dx_bias = d.dx_bias;
            const auto part = [&](const Values<float>& all, int64_t floats) {
                return Values<float>(&all[w * floats], &all[w * floats] + floats);
            };
            const int64_t in = d.length * d.shape.in, out = d.outputs * d.shape.out;
            alone.x = part(d.x, in);
            alone.dy = part(d.dy, out);
            EXPECT_EQ(forward(alone), part(y, out)) << "window " << w << " of " << c.windows << " x " << c.length;
            EXPECT_EQ(backward_data(alone), part(dx, in)) << "window " << w << " of " << c.windows << " x " << c.length;
        }
    }
}

TEST(ColumnSums, MatchTheirFormula) {
    Rng rng(2);
    for (const int64_t rows : {0, 1, 255, 256, 257, 1000})
        for (const int64_t columns : {1, 63, 64, 65, 130}) {
            const Values<float> x = naive::random(rows * columns, rng);
            Values<double> wanted(columns, 0.0);
            for (int64_t i = 0; i < rows * columns; ++i) wanted[i % columns] += x[i];
            Values<float> found(columns, NAN);
            column_sums(rows, columns, x.data(), found.data());
            EXPECT_LE(naive::difference(found, wanted), 1e-6) << rows << " x " << columns;
        }
}

}  // namespace
}  // namespace cmr::kernels
