// Products of bf16 parts: the twins against their definition, bit by bit, and against exact sums; AMX against the
// twins.
#include "kernels/precision.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/amx.h"
#include "kernels/conv.h"
#include "kernels/isa.h"
#include "kernels/mamba_stack.h"
#include "kernels/naive.h"

namespace cmr::kernels {

#if defined(CMR_EMULATED_TILES)
namespace avx512 {
extern const Kernels table;
}
namespace emulated_bf16x3 {
void put_products(Kernels& table);
}
namespace emulated_bf16 {
void put_products(Kernels& table);
}
#endif

namespace {

using naive::Values;
using testing::HasSubstr;

constexpr float kGuard = 12345.0f;                                // stands where nothing may be written
constexpr float kTrap = std::numeric_limits<float>::quiet_NaN();  // stands where nothing may be read

// --- The definition -------------------------------------------------------------------------------------------------

float nearest_bf16(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    const uint32_t kept = bits & 0xffff0000, rest = bits & 0xffff;
    const bool up = rest > 0x8000 || (rest == 0x8000 && (kept & 0x10000));
    return std::bit_cast<float>(up ? kept + 0x10000 : kept);
}

std::array<float, 3> parts_of(float x) {
    std::array<float, 3> parts{};
    for (float& part : parts) {
        part = nearest_bf16(x);
        x -= part;
    }
    return parts;
}

std::vector<std::pair<int, int>> products_of(Precision precision) {
    if (precision == Precision::bf16) return {{0, 0}};
    return {{2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 0}};
}

// One element of C, from k numbers of A and of B.
float defined(Precision precision, const Values<float>& a, const Values<float>& b, float before, bool accumulate) {
    const int64_t k = std::ssize(a);
    const auto part = [&](const Values<float>& of, int64_t at, int which) {
        return at < k ? parts_of(of[at])[which] : 0.0f;
    };
    float c = before;
    for (int64_t depth = 0; depth < k; depth += 256) {
        float sum = 0.0f;
        for (int64_t step = depth; step < std::min(depth + 256, k); step += 32)
            for (const auto& [i, j] : products_of(precision)) {
                float even = 0.0f, odd = 0.0f;
                for (int64_t p = step; p < step + 32; p += 2) {
                    even = std::fma(part(a, p, i), part(b, p, j), even);
                    odd = std::fma(part(a, p + 1, i), part(b, p + 1, j), odd);
                }
                sum = sum + (even + odd);
            }
        c = accumulate || depth > 0 ? c + sum : sum;
    }
    return c;
}

// --- Products -------------------------------------------------------------------------------------------------------

// A matrix with two strides, with traps in the gaps and behind the end.
struct Laid {
    Values<float> storage;
    int64_t row, column;

    Laid(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride, Rng& rng, double scale = 1.0)
        : storage((rows - 1) * row_stride + (columns - 1) * column_stride + 64, kTrap),
          row(row_stride),
          column(column_stride) {
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                storage[i * row + j * column] = static_cast<float>(scale * rng.normal());
    }
    Strided view() const { return {storage.data(), row, column}; }
    float at(int64_t i, int64_t j) const { return storage[i * row + j * column]; }
};

enum class Form { packed, unpacked };

// C with a gap of five guarded floats behind each row and a guarded row behind the last, from 0.5.
Values<float> multiply(const Kernels& table, Form form, int64_t m, int64_t n, int64_t k, Strided a, Strided b,
                       bool accumulate) {
    const int64_t c_row = n + 5;
    Values<float> c((m + 1) * c_row, kGuard);
    for (int64_t i = 0; i < m; ++i) std::fill_n(&c[i * c_row], n, accumulate ? 0.5f : kTrap);
    if (form == Form::unpacked) {
        table.gemm_unpacked(m, n, k, a, b, c.data(), c_row, accumulate);
    } else {
        const int64_t floats = table.packed_size(k, n);
        Values<float> packed(floats + 16, kGuard);
        table.pack(k, n, b, packed.data());
        for (int64_t i = floats; i < floats + 16; ++i) EXPECT_EQ(packed[i], kGuard) << "packed_size is too small";
        table.gemm(m, n, k, a, packed.data(), c.data(), c_row, accumulate);
    }
    for (int64_t i = 0; i <= m; ++i)
        for (int64_t j = i < m ? n : 0; j < c_row; ++j)
            EXPECT_EQ(c[i * c_row + j], kGuard) << "written past the end, row " << i << ", column " << j;
    return c;
}

struct Size {
    int64_t m, n, k;
};
// Below, at and past a tile, a block of two, what is split and packed at once, and the depth.
const Size kSizes[] = {{1, 1, 1},    {2, 3, 2},    {7, 40, 33},   {15, 15, 31},   {16, 16, 32},   {17, 17, 33},
                       {32, 32, 64}, {33, 31, 65}, {48, 64, 128}, {96, 130, 256}, {97, 33, 257},  {100, 129, 300},
                       {5, 8, 600},  {64, 20, 8},  {200, 16, 40}, {31, 48, 96},   {112, 256, 96}, {16, 16, 513}};

bool same_bits(const Values<float>& a, const Values<float>& b) {
    const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    return std::ranges::equal(a, b, {}, bits, bits);
}

class Twin : public testing::TestWithParam<Precision> {
  protected:
    void SetUp() override {
        use_twin(true);
        if (const std::string lack = missing(GetParam()); !lack.empty()) GTEST_SKIP() << lack;
    }
    void TearDown() override {
        use_twin(false);
        set_thread_count(threads_before_);
    }
    const Kernels& table() const { return kernels(GetParam()); }

    const int threads_before_ = thread_count();
    const FlushDenormals flush_;
};
INSTANTIATE_TEST_SUITE_P(Precisions, Twin, testing::Values(Precision::bf16x3, Precision::bf16),
                         [](const auto& p) { return std::string(name(p.param)); });

TEST_P(Twin, GivesTheBitsOfTheDefinition) {
    Rng rng(1);
    for (const auto& [m, n, k] : kSizes) {
        const Laid a(m, k, k + 3, 1, rng), b(k, n, n + 2, 1, rng);
        for (const bool accumulate : {false, true}) {
            const Values<float> packed = multiply(table(), Form::packed, m, n, k, a.view(), b.view(), accumulate);
            const Values<float> unpacked = multiply(table(), Form::unpacked, m, n, k, a.view(), b.view(), accumulate);
            EXPECT_TRUE(same_bits(packed, unpacked)) << m << " x " << n << " x " << k;
            for (int64_t i = 0; i < m; i += 1 + m / 9)
                for (int64_t j = 0; j < n; j += 1 + n / 9) {
                    Values<float> row, column;
                    for (int64_t p = 0; p < k; ++p) row.push_back(a.at(i, p)), column.push_back(b.at(p, j));
                    EXPECT_EQ(packed[i * (n + 5) + j], defined(GetParam(), row, column, 0.5f, accumulate))
                        << m << " x " << n << " x " << k << " at " << i << ", " << j;
                }
        }
    }
}

// bf16x3 leaves out 2^-26 of a product and rounds as float32 does, less often: the tolerance of float32's own test.
TEST_P(Twin, IsNearTheExactSum) {
    const double tolerance = GetParam() == Precision::bf16x3 ? 5e-7 : 8e-3;
    Rng rng(2);
    double worst = 0.0;
    for (const auto& [m, n, k] : kSizes) {
        const Laid a(m, k, k, 1, rng), b(k, n, n, 1, rng);
        const Values<float> c = multiply(table(), Form::packed, m, n, k, a.view(), b.view(), false);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                double exact = 0.0, magnitude = 0.0;
                for (int64_t p = 0; p < k; ++p) {
                    const double term = double{a.at(i, p)} * b.at(p, j);
                    exact += term;
                    magnitude += std::abs(term);
                }
                ASSERT_NEAR(c[i * (n + 5) + j], exact, tolerance * magnitude)
                    << m << " x " << n << " x " << k << " at " << i << ", " << j;
                worst = std::max(worst, std::abs(c[i * (n + 5) + j] - exact) / magnitude);
            }
    }
    EXPECT_GT(worst, GetParam() == Precision::bf16x3 ? 1e-9 : 1e-4) << "a product of floats stands in its place";
}

TEST_P(Twin, ReadsTransposedMatrices) {
    Rng rng(3);
    for (const auto& [m, n, k] : kSizes) {
        const Laid a(m, k, 1, m + 1, rng), b(k, n, 1, k + 2, rng);
        Values<float> plain_a, plain_b;
        for (int64_t i = 0; i < m; ++i)
            for (int64_t p = 0; p < k; ++p) plain_a.push_back(a.at(i, p));
        for (int64_t p = 0; p < k; ++p)
            for (int64_t j = 0; j < n; ++j) plain_b.push_back(b.at(p, j));
        for (const Form form : {Form::packed, Form::unpacked})
            EXPECT_TRUE(
                same_bits(multiply(table(), form, m, n, k, a.view(), b.view(), true),
                          multiply(table(), form, m, n, k, {plain_a.data(), k, 1}, {plain_b.data(), n, 1}, true)))
                << m << " x " << n << " x " << k;
    }
}

TEST_P(Twin, GivesARowTheSameBitsAloneAndAmongOthers) {
    Rng rng(4);
    const int64_t m = 101, n = 40, k = 300;
    const Laid a(m, k, k, 1, rng), b(k, n, n, 1, rng);
    const Values<float> together = multiply(table(), Form::packed, m, n, k, a.view(), b.view(), true);
    for (int64_t i = 0; i < m; ++i) {
        const Values<float> alone =
            multiply(table(), Form::packed, 1, n, k, {a.storage.data() + i * k, k, 1}, b.view(), true);
        EXPECT_EQ(std::memcmp(alone.data(), &together[i * (n + 5)], n * sizeof(float)), 0) << "row " << i;
    }
}

// One row and one column of two terms, as the manual has them.
TEST_P(Twin, FlushesDenormalsAndRoundsOnce) {
    const auto product = [&](Values<float> a, Values<float> b) {
        const auto k = std::ssize(a);
        return multiply(table(), Form::packed, 1, 1, k, {a.data(), k, 1}, {b.data(), 1, 1}, false)[0];
    };
    const float tiny = std::ldexp(1.0f, -126), denormal = std::ldexp(1.0f, -127);
    EXPECT_EQ(product({denormal}, {4.0f}), 0.0f) << "read as zero";
    EXPECT_EQ(product({tiny}, {0.5f}), 0.0f) << "written as zero";
    EXPECT_EQ(product({-tiny}, {1.0f}), -tiny) << "the smallest that stays";
    // Terms 0 and 2 are summed first: the second product alone would be flushed, but the sum is rounded once.
    EXPECT_EQ(product({1.5f * tiny, 0.0f, tiny}, {1.0f, 0.0f, 0.5f}), 2.0f * tiny);
    // Even and odd terms meet at the end, so that the 1 below is not lost in 2^24, but is where the order is another.
    const float large = std::ldexp(1.0f, 24);
    EXPECT_EQ(product({large, 1.0f, -large}, {1.0f, 1.0f, 1.0f}), 1.0f);
    EXPECT_EQ(product({large, 0.0f, 1.0f, 0.0f, -large}, {1.0f, 0.0f, 1.0f, 0.0f, 1.0f}), 0.0f);
}

TEST_P(Twin, KeepsWhatIsNotFiniteFromLookingFinite) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::bit_cast<float>(0x7fffffffu);
    for (const float bad : {inf, -inf, nan, std::bit_cast<float>(0xffffffffu)}) {
        const Values<float> a = {1.0f, bad}, b = {2.0f, 1.0f};
        EXPECT_FALSE(
            std::isfinite(multiply(table(), Form::packed, 1, 1, 2, {a.data(), 2, 1}, {b.data(), 1, 1}, false)[0]));
        EXPECT_FALSE(
            std::isfinite(multiply(table(), Form::packed, 1, 1, 2, {b.data(), 2, 1}, {a.data(), 1, 1}, false)[0]));
    }
}

// --- AMX ------------------------------------------------------------------------------------------------------------

void expect_the_twins_bits(Precision precision, const Kernels& amx) {
    const FlushDenormals flush;
    use_twin(true);
    const Kernels& twin = kernels(precision);
    use_twin(false);
    Rng rng(5);
    for (const auto& [m, n, k] : kSizes)
        for (const double scale : {1.0, 1e-19}) {  // products among the denormals
            const Laid a(m, k, k + 3, 1, rng, scale), b(k, n, n + 2, 1, rng, scale);
            const Laid a_columns(m, k, 1, m + 1, rng, scale), b_columns(k, n, 1, k + 2, rng, scale);
            for (const Form form : {Form::packed, Form::unpacked})
                for (const bool accumulate : {false, true}) {
                    EXPECT_TRUE(same_bits(multiply(amx, form, m, n, k, a.view(), b.view(), accumulate),
                                          multiply(twin, form, m, n, k, a.view(), b.view(), accumulate)))
                        << m << " x " << n << " x " << k;
                    EXPECT_TRUE(
                        same_bits(multiply(amx, form, m, n, k, a_columns.view(), b_columns.view(), accumulate),
                                  multiply(twin, form, m, n, k, a_columns.view(), b_columns.view(), accumulate)))
                        << m << " x " << n << " x " << k << ", transposed";
                }
        }
}

// All of it but the instructions themselves, which are emulated.
TEST(EmulatedAmx, GivesTheBitsOfTheTwins) {
#if defined(CMR_EMULATED_TILES)
    if (available_isas().back() != Isa::avx512)
        GTEST_SKIP() << "what stands around AMX wants AVX-512, which is not here";
    Kernels table = avx512::table;
    emulated_bf16x3::put_products(table);
    expect_the_twins_bits(Precision::bf16x3, table);
    emulated_bf16::put_products(table);
    expect_the_twins_bits(Precision::bf16, table);
#else
    GTEST_SKIP() << "no AMX on this kind of processor";
#endif
}

TEST(Amx, GivesTheBitsOfTheTwins) {
    use_twin(false);
    if (const std::string lack = missing(Precision::bf16x3); !lack.empty()) GTEST_SKIP() << lack;
    for (const Precision precision : {Precision::bf16x3, Precision::bf16})
        expect_the_twins_bits(precision, kernels(precision));
}

TEST(Amx, IsThereWhereProcessorAndOperatingSystemBothSaySo) {
    const TileFacts all{
        .features = 1u << 22 | 1u << 24, .palette = 8u << 16 | 64, .palette_rows = 16, .saved = 3u << 17};
    EXPECT_EQ(missing_for_tiles(all), "");
    EXPECT_THAT(missing_for_tiles({}), HasSubstr("no AMX"));
    TileFacts some = all;
    some.features = 1u << 24;
    EXPECT_THAT(missing_for_tiles(some), HasSubstr("amx_bf16"));
    some = all;
    some.palette = 8u << 16 | 32;
    EXPECT_THAT(missing_for_tiles(some), HasSubstr("smaller"));
    some = all;
    some.palette_rows = 8;
    EXPECT_THAT(missing_for_tiles(some), HasSubstr("smaller"));
    some = all;
    some.saved = 1u << 17 | 7;
    EXPECT_THAT(missing_for_tiles(some), HasSubstr("operating system"));
}

TEST(Amx, IsRefusedInWordsWhereItIsNot) {
    use_twin(false);
    EXPECT_EQ(missing(Precision::float32), "");
    EXPECT_EQ(&kernels(Precision::float32), &kernels());
    if (missing(Precision::bf16x3).empty()) GTEST_SKIP() << "it is here";
    try {
        kernels(Precision::bf16x3);
        FAIL() << "computed without AMX";
    } catch (const InputError& error) {
        for (const char* words : {"bf16x3", "AMX", "float32", "CMR_ISA=twin"})
            EXPECT_THAT(error.what(), HasSubstr(words));
    }
}

// --- Names ----------------------------------------------------------------------------------------------------------

TEST(Precision, HasAName) {
    for (const Precision precision : {Precision::float32, Precision::bf16x3, Precision::bf16})
        EXPECT_EQ(precision_named(name(precision), "model.precision"), precision);
    EXPECT_STREQ(name(Precision::bf16x3), "bf16x3");
    try {
        precision_named("fp16", "model.precision");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "model.precision = \"fp16\" must be float32, bf16x3 or bf16");
    }
}

TEST(Precision, IsWhatTheVariableSaysOrElseWhatIsWanted) {
    unsetenv("CMR_PRECISION");
    EXPECT_EQ(chosen_precision(Precision::bf16), Precision::bf16);
    setenv("CMR_PRECISION", "bf16x3", 1);
    EXPECT_EQ(chosen_precision(Precision::bf16), Precision::bf16x3);
    EXPECT_EQ(chosen_precision(Precision::float32), Precision::bf16x3);
    setenv("CMR_PRECISION", "double", 1);
    EXPECT_THROW(chosen_precision(Precision::float32), InputError);
    setenv("CMR_PRECISION", "", 1);
    EXPECT_EQ(chosen_precision(Precision::float32), Precision::float32);
    unsetenv("CMR_PRECISION");
}

TEST(Precision, OfTheTwinsIsChosenByTheVariableOfTheInstructionSet) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto choose = [](const char* text) {
        setenv("CMR_ISA", text, 1);
        std::exit(10 + static_cast<int>(current_isa()) + (twin_in_use() ? 4 : 0));
    };
    const int best = 10 + static_cast<int>(available_isas().back());
    EXPECT_EXIT(choose("twin"), testing::ExitedWithCode(best + 4), "");
    EXPECT_EXIT(choose("portable"), testing::ExitedWithCode(10), "");
}

// --- What is made of products ---------------------------------------------------------------------------------------

struct Stack {
    MambaShape shape;
    std::vector<naive::Layer<float>> layers;
    std::vector<MambaWeights> weights;

    Stack(MambaShape s, int count, Rng& rng) : shape(s) {
        for (int i = 0; i < count; ++i) layers.push_back(naive::random_layer(s, rng));
        for (const auto& layer : layers) weights.push_back(naive::weights_of(layer));
    }
    MambaStack in(Precision precision) {
        shape.precision = precision;
        return {shape, weights};
    }
};

TEST_P(Twin, MambaIsNearFloat32AndHasTheSameBitsOnAnyThreadsAndInAnyBatch) {
    Rng rng(6);
    const int64_t windows = 3, tokens = 101;
    Stack made({}, 2, rng);
    const Values<float> h = naive::random(windows * tokens * made.shape.model, rng);
    const auto run = [&](Precision precision, int64_t count, const float* from) {
        Values<float> out(from, from + count * tokens * made.shape.model);
        made.in(precision).forward(count, tokens, out.data());
        return out;
    };
    const Values<float> exact = run(Precision::float32, windows, h.data()), found = run(GetParam(), windows, h.data());
    const double off = naive::difference(found, Values<double>(exact.begin(), exact.end()));
    EXPECT_LT(off, GetParam() == Precision::bf16x3 ? 2e-6 : 3e-2);
    EXPECT_GT(off, 1e-9) << "computed in float32";
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        EXPECT_TRUE(same_bits(run(GetParam(), windows, h.data()), found)) << threads << " threads";
    }
    const int64_t size = tokens * made.shape.model;
    for (int64_t i = 0; i < windows; ++i)
        EXPECT_TRUE(same_bits(run(GetParam(), 1, h.data() + i * size),
                              Values<float>(found.begin() + i * size, found.begin() + (i + 1) * size)));
}

TEST_P(Twin, GradientsAreThoseOfFloat32) {
    if (GetParam() == Precision::bf16) GTEST_SKIP() << "for scoring only";
    Rng rng(7);
    const int64_t windows = 2, tokens = 120;
    Stack made({}, 2, rng);
    const Values<float> h = naive::random(windows * tokens * made.shape.model, rng),
                        upstream = naive::random(std::ssize(h), rng);
    const auto run = [&](Precision precision) {
        std::vector<naive::Layer<float>> gradients = made.layers;
        std::vector<MambaGradients> views;
        for (auto& layer : gradients) views.push_back(naive::tensors_of(layer));
        MambaTape tape;
        Values<float> out = h, d_h = upstream;
        const MambaStack stack = made.in(precision);
        stack.forward(windows, tokens, out.data(), tape);
        stack.backward(tape, d_h.data(), made.weights, views);
        gradients.emplace_back()[0] = d_h;
        return gradients;
    };
    const auto exact = run(Precision::float32), found = run(GetParam());
    for (size_t layer = 0; layer < exact.size(); ++layer)
        for (size_t i = 0; i < exact[layer].size(); ++i)
            if (!exact[layer][i].empty()) {
                EXPECT_LT(
                    naive::difference(found[layer][i], Values<double>(exact[layer][i].begin(), exact[layer][i].end())),
                    1e-5)
                    << "tensor " << i << " of layer " << layer;
            }
    set_thread_count(3);
    const auto again = run(GetParam());
    for (size_t layer = 0; layer < exact.size(); ++layer)
        for (size_t i = 0; i < exact[layer].size(); ++i) EXPECT_TRUE(same_bits(again[layer][i], found[layer][i]));
}

TEST_P(Twin, ConvolutionsAreNearThoseOfFloat32) {
    Rng rng(8);
    const int64_t windows = 2, length = 50;
    ConvShape s{.in = 24, .out = 40, .kernel = 5, .stride = 2, .pad_left = 4, .pad_right = 1};
    const int64_t outputs = s.out_length(length);
    const Values<float> x = naive::random(windows * length * s.in, rng),
                        dy = naive::random(windows * outputs * s.out, rng),
                        weight = naive::random(s.out * s.in * s.kernel, rng);
    const auto run = [&](Precision precision) {
        s.precision = precision;
        std::vector<Values<float>> out = {Values<float>(dy.size()), Values<float>(x.size()),
                                          Values<float>(weight.size())};
        conv_forward(s, {s, weight.data(), ConvWeights::For::forward}, windows, length, x.data(), nullptr,
                     out[0].data());
        conv_backward_data(s, {s, weight.data(), ConvWeights::For::backward_data}, windows, length, dy.data(), nullptr,
                           out[1].data());
        conv_backward_weight(s, windows, length, x.data(), dy.data(), out[2].data());
        return out;
    };
    const auto exact = run(Precision::float32), found = run(GetParam());
    for (int i = 0; i < 3; ++i) {
        const double off = naive::difference(found[i], Values<double>(exact[i].begin(), exact[i].end()));
        EXPECT_LT(off, GetParam() == Precision::bf16x3 ? 2e-6 : 1e-2) << i;
        EXPECT_GT(off, 1e-9) << "computed in float32: " << i;
    }
}

}  // namespace
}  // namespace cmr::kernels
