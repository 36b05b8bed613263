#include "model/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/isa.h"
#include "kernels/precision.h"
#include "model/tiny_model.h"

namespace cmr::model {
namespace {

class EncoderTest : public testing::Test {
  protected:
    void TearDown() override { set_thread_count(before_); }
    int before_ = thread_count();
};

std::vector<float> embed(const Encoder& encoder, int64_t windows, int64_t length, const std::vector<float>& x) {
    std::vector<float> z(static_cast<size_t>(windows * encoder.tokens(length) * encoder.width()), NAN);
    encoder.embed(windows, length, x.data(), z.data());
    return z;
}

TEST_F(EncoderTest, GivesAWindowTheSameBitsAloneInABatchAndOnAnyThreads) {
    const int64_t windows = 9, length = 1001;
    const Encoder encoder(used_model(tiny_config()), "current");
    const std::vector<float> x = random_values(windows * length, 2);
    set_thread_count(1);
    const std::vector<float> together = embed(encoder, windows, length, x);
    for (const int threads : {2, 3, 7}) {
        set_thread_count(threads);
        EXPECT_EQ(embed(encoder, windows, length, x), together) << threads << " threads";
    }
    const int64_t floats = encoder.tokens(length) * encoder.width();
    for (int64_t w = 0; w < windows; ++w) {
        const std::vector<float> alone = embed(encoder, 1, length, {&x[w * length], &x[w * length] + length});
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &together[w * floats])) << "window " << w;
    }
}

TEST_F(EncoderTest, NormalisesEveryToken) {
    const Encoder encoder(new_model(tiny_config()), "current");
    const std::vector<float> z = embed(encoder, 2, 40, random_values(80, 3));
    ASSERT_EQ(z.size(), 2u * 10 * 16);
    for (size_t token = 0; token < 20; ++token) {
        double mean = 0.0, squares = 0.0;
        for (size_t j = 0; j < 16; ++j) {
            mean += z[token * 16 + j] / 16.0;
            squares += z[token * 16 + j] * double{z[token * 16 + j]} / 16.0;
        }
        EXPECT_NEAR(mean, 0.0, 1e-5);
        EXPECT_NEAR(squares, 1.0, 1e-2);  // ε in the norm takes a little
    }
}

TEST_F(EncoderTest, TakesWindowsOfAnyLengthFromOneSample) {
    const Encoder encoder(used_model(tiny_config()), "vibration");
    for (const int64_t length : {1, 2, 3, 4, 5, 7, 8, 9}) {
        const std::vector<float> z = embed(encoder, 3, length, random_values(3 * length, 4));
        EXPECT_EQ(std::ssize(z), 3 * ((length - 1) / 4 + 1) * 16);
        for (const float v : z) ASSERT_TRUE(std::isfinite(v)) << length << " samples";
    }
    EXPECT_NO_THROW(embed(encoder, 0, 8, {}));
    EXPECT_THROW(embed(encoder, 1, 0, {}), InternalError);
}

TEST_F(EncoderTest, StaysFiniteForExtremeSamples) {
    for (Model model : {new_model(tiny_config()), used_model(tiny_config())})
        for (const bool constant_channel : {false, true}) {
            // A channel that never moved while healthy has no variance at all.
            if (constant_channel)
                for (io::NamedTensor& tensor : model.tensors)
                    if (tensor.name.ends_with("running_variance"))
                        std::fill(tensor.values.begin(), tensor.values.end(), 0.0f);
            const Encoder encoder(model, "current");
            for (const float size : {0.0f, 1e-45f, 1e-40f, 1e-20f, 1.0f, 1e10f, 1e30f,
                                     std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()}) {
                std::vector<float> x(400, size);
                for (size_t i = 0; i < x.size(); i += 3) x[i] = -x[i];
                for (const float v : embed(encoder, 1, 400, x)) ASSERT_TRUE(std::isfinite(v)) << size;
            }
            std::vector<float> lone(400, 0.1f);
            lone[200] = 1e30f;
            for (const float v : embed(encoder, 1, 400, lone)) ASSERT_TRUE(std::isfinite(v));
        }
}

TEST_F(EncoderTest, ReactsToItsInputAndItsWeights) {
    const std::vector<float> x = random_values(100, 5);
    std::vector<float> moved = x;
    moved[50] += 0.5f;
    const Encoder encoder(new_model(tiny_config()), "current");
    const std::vector<float> z = embed(encoder, 1, 100, x), after = embed(encoder, 1, 100, moved);
    // Sample 50 enters the stem at token 12, whose taps reach sample 51; earlier tokens do not see it.
    for (size_t i = 0; i < 12 * 16; ++i) ASSERT_NEAR(after[i], z[i], 1e-5) << "token " << i / 16;
    for (size_t token = 12; token < 25; ++token)
        EXPECT_FALSE(std::equal(&z[token * 16], &z[token * 16] + 16, &after[token * 16])) << "token " << token;
    EXPECT_NE(embed(Encoder(new_model(tiny_config()), "vibration"), 1, 100, x), z);
}

TEST_F(EncoderTest, AgreesAcrossInstructionSets) {
    const std::vector<float> x = random_values(2 * 500, 6);
    const Model model = used_model(tiny_config());
    const kernels::Isa before = kernels::current_isa();
    kernels::use_isa(kernels::Isa::portable);
    const std::vector<float> plain = embed(Encoder(model, "current"), 2, 500, x);
    for (const kernels::Isa isa : kernels::available_isas()) {
        kernels::use_isa(isa);
        const std::vector<float> z = embed(Encoder(model, "current"), 2, 500, x);
        // Other vector widths add in another order; the norm at the end keeps numbers of the order of one.
        for (size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z[i], plain[i], 2e-5) << kernels::name(isa) << " at " << i;
    }
    kernels::use_isa(before);
}

// The usual size, as issue and docs promise it: embeddings of bf16x3 within 1e-5 of float32's.
TEST_F(EncoderTest, InPartsOfBf16IsNearFloat32AndSaysWhenItIsNot) {
    Config config;
    config.groups = {{"power", false, 1}, {"pressure", true, 1}};
    const std::vector<float> x = random_values(2 * 1000, 7);
    Model model = new_model(config);
    const std::vector<float> exact = embed(Encoder(model, "power"), 2, 1000, x);
    const auto furthest = [&](const Encoder& encoder) {
        const std::vector<float> z = embed(encoder, 2, 1000, x);
        double most = 0.0;
        for (size_t i = 0; i < z.size(); ++i) most = std::max(most, std::abs(double{z[i]} - exact[i]));
        return most;
    };
    kernels::use_twin(true);
    if (!kernels::missing(kernels::Precision::bf16x3).empty()) GTEST_SKIP() << "no twin here";
    model.config.precision = "bf16x3";
    const double three = furthest(Encoder(model, "power"));
    EXPECT_LT(three, 1e-5);
    EXPECT_GT(three, 0.0);
    model.config.precision = "bf16";
    const double one = furthest(Encoder(model, "power"));
    EXPECT_LT(one, 0.1);
    EXPECT_GT(one, 1e-4);
    setenv("CMR_PRECISION", "float32", 1);  // stands above the model
    EXPECT_EQ(furthest(Encoder(model, "power")), 0.0);
    setenv("CMR_PRECISION", "bf16x3", 1);
    EXPECT_EQ(furthest(Encoder(model, "power")), three);
    unsetenv("CMR_PRECISION");
    kernels::use_twin(false);
}

TEST_F(EncoderTest, OfAnUnknownGroupIsOurMistake) {
    EXPECT_THROW(Encoder(new_model(tiny_config()), "pressure"), InternalError);
}

}  // namespace
}  // namespace cmr::model
