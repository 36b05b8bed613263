#include "score/features/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/predictor.h"
#include "score/small_plant.h"
#include "support/random_matrix.h"

namespace cmr::score {
namespace {

class FeaturesTest : public testing::Test {
  protected:
    void TearDown() override { set_thread_count(before_); }
    int before_ = thread_count();
};

using test::kPlantLength;
using test::SmallPlant;

constexpr const char* kAll[] = {"causes.mean",   "causes.std",      "effects.mean", "effects.std",
                                "residual.mean", "residual.square", "effects.max",  "cause-encoded.mean"};

Features embed(const SmallPlant& plant, int64_t windows, uint64_t seed) {
    return plant.embedder->embed(test::random_matrix(windows, 2 * kPlantLength, seed),
                                 test::random_matrix(windows, 3 * kPlantLength, seed + 1));
}

Features one(const Features& all, int64_t row) { return all.chosen({row}); }

void expect_same(const Features& a, const Features& b) {
    EXPECT_EQ(a.causes.values, b.causes.values);
    EXPECT_EQ(a.effects.values, b.effects.values);
    for (const char* name : kAll) {
        ASSERT_EQ(a.has(name), b.has(name)) << name;
        if (!a.has(name)) continue;
        EXPECT_EQ(a[name].columns, b[name].columns) << name;
        EXPECT_EQ(a[name].values, b[name].values) << name;
    }
}

// With everything that a pooling may need.
struct WholePlant : SmallPlant {
    WholePlant() { embedder = embedder_of(network, {"max", "cause-encoder"}); }
};

// One window after the other and in double, from the encoders and the predictor themselves.
struct Plain {
    std::vector<double> mean, deviation, most;

    Plain(const std::vector<float>& z, int64_t tokens) {
        const int64_t width = std::ssize(z) / tokens;
        for (int64_t f = 0; f < width; ++f) {
            double sum = 0, square = 0, top = -INFINITY;
            for (int64_t t = 0; t < tokens; ++t) sum += z[t * width + f], top = std::max<double>(top, z[t * width + f]);
            for (int64_t t = 0; t < tokens; ++t) square += std::pow(z[t * width + f] - sum / tokens, 2);
            mean.push_back(sum / static_cast<double>(tokens));
            deviation.push_back(std::sqrt(square / static_cast<double>(tokens)));
            most.push_back(top);
        }
    }
};

void expect_near(std::span<const float> found, int64_t offset, const std::vector<double>& expected) {
    for (size_t f = 0; f < expected.size(); ++f) EXPECT_NEAR(found[offset + f], expected[f], 1e-5) << "feature " << f;
}

TEST_F(FeaturesTest, ArePooledEncoderTokens) {
    const WholePlant plant;
    const Features found = embed(plant, 3, 1);
    const int64_t tokens = plant.preprocessing.config.tokens(kPlantLength), width = 16;
    const model::Encoder drive(plant.network, "drive");
    for (int64_t w = 0; w < 3; ++w) {
        const auto check = [&](const char* group, const Matrix& samples, int64_t channel, bool effect) {
            const float* x = samples.row(w).data() + channel * kPlantLength;
            std::vector<float> z(tokens * width);
            model::Encoder(plant.network, group).embed(1, kPlantLength, x, z.data());
            const Plain plain(z, tokens);
            expect_near(found[effect ? "effects.mean" : "causes.mean"].row(w), channel * width, plain.mean);
            expect_near(found[effect ? "effects.std" : "causes.std"].row(w), channel * width, plain.deviation);
            if (!effect) return;
            expect_near(found["effects.max"].row(w), channel * width, plain.most);
            drive.embed(1, kPlantLength, x, z.data());
            expect_near(found["cause-encoded.mean"].row(w), channel * width, Plain(z, tokens).mean);
        };
        check("drive", found.causes, 0, false);
        check("drive", found.causes, 1, false);
        check("pressure", found.effects, 0, true);
        check("pressure", found.effects, 1, true);
        check("flow", found.effects, 2, true);
    }
}

TEST_F(FeaturesTest, ResidualsArePredictedMinusObservedTokens) {
    const SmallPlant plant;
    const Features found = embed(plant, 2, 1);
    const int64_t tokens = plant.preprocessing.config.tokens(kPlantLength), width = 16;
    std::vector<float> causes(tokens * 2 * width), effects(tokens * 3 * width), predicted(tokens * 3 * width);
    const auto put = [&](const char* group, const float* x, std::vector<float>& into, int64_t channel, int64_t all) {
        std::vector<float> z(tokens * width);
        model::Encoder(plant.network, group).embed(1, kPlantLength, x, z.data());
        for (int64_t t = 0; t < tokens; ++t) std::copy_n(&z[t * width], width, &into[(t * all + channel) * width]);
    };
    for (int64_t w = 0; w < 2; ++w) {
        for (int64_t c = 0; c < 2; ++c) put("drive", &found.causes.row(w)[c * kPlantLength], causes, c, 2);
        for (int64_t c = 0; c < 3; ++c)
            put(c < 2 ? "pressure" : "flow", &found.effects.row(w)[c * kPlantLength], effects, c, 3);
        model::Predictor(plant.network).predict(1, tokens, causes.data(), predicted.data());
        for (int64_t f = 0; f < 3 * width; ++f) {
            double sum = 0, square = 0;
            for (int64_t t = 0; t < tokens; ++t) {
                const double r = static_cast<double>(predicted[t * 3 * width + f]) - effects[t * 3 * width + f];
                sum += r / static_cast<double>(tokens);
                square += r * r / static_cast<double>(tokens);
            }
            EXPECT_NEAR(found["residual.mean"].row(w)[f], sum, 1e-5);
            EXPECT_NEAR(found["residual.square"].row(w)[f], square, 1e-5);
        }
    }
}

TEST_F(FeaturesTest, AWindowHasTheSameBitsAloneAndInABatch) {
    const WholePlant plant;
    const Features all = embed(plant, 300, 1);
    std::vector<int64_t> seven = {293, 294, 295, 296, 297, 298, 299};
    const Features some = plant.embedder->embed(all.chosen(seven).causes, all.chosen(seven).effects);
    expect_same(some, all.chosen(seven));
    for (const int64_t row : {0, 255, 256, 299})
        expect_same(plant.embedder->embed(one(all, row).causes, one(all, row).effects), one(all, row));
}

TEST_F(FeaturesTest, AreTheSameOnAnyNumberOfThreads) {
    const SmallPlant plant;
    set_thread_count(1);
    const Features alone = embed(plant, 40, 1);
    for (const int threads : {2, 5}) {
        set_thread_count(threads);
        expect_same(embed(plant, 40, 1), alone);
    }
}

TEST_F(FeaturesTest, AreChosenAndAppendedRowByRow) {
    const SmallPlant plant;
    const Features all = embed(plant, 5, 1);
    Features joined = all.chosen({0, 1});
    joined.append(all.chosen({2, 3, 4}));
    expect_same(joined, all);
    EXPECT_EQ(joined.rows(), 5);
    EXPECT_FALSE(joined.has("cause-encoded.mean"));  // nobody asked for it
    EXPECT_FALSE(joined.has("effects.max"));

    Features none;
    none.append(all);
    expect_same(none, all);
    const Features twice = all.chosen({4, 4, 1});
    EXPECT_EQ(one(twice, 0)["effects.std"].values, one(all, 4)["effects.std"].values);
    EXPECT_EQ(one(twice, 1)["effects.std"].values, one(all, 4)["effects.std"].values);
    EXPECT_EQ(one(twice, 2)["effects.std"].values, one(all, 1)["effects.std"].values);
}

// By the decoders themselves, one window after the other.
TEST_F(FeaturesTest, DecodingGivesWhatIsNotRebuiltOfEachEffect) {
    const SmallPlant plant;
    const Embedder embedder(plant.network, plant.preprocessing.inputs, {.poolings = {}, .decoding = true});
    const Features samples = embed(plant, 3, 1);
    const Features found = embedder.embed(samples.causes, samples.effects);
    EXPECT_FALSE(samples.has("native"));
    ASSERT_EQ(found["native.parts"].columns, 3);
    const int64_t tokens = plant.preprocessing.config.tokens(kPlantLength), width = 16;
    for (int64_t w = 0; w < 3; ++w) {
        double mean = 0;
        for (int64_t c = 0; c < 3; ++c) {
            const std::string group = c < 2 ? "pressure" : "flow";
            const float* x = found.effects.row(w).data() + c * kPlantLength;
            std::vector<float> z(tokens * width), rebuilt(kPlantLength);
            model::Encoder(plant.network, group).embed(1, kPlantLength, x, z.data());
            model::Decoder(plant.network, group + "." + std::to_string(c % 2))
                .decode(1, tokens, z.data(), kPlantLength, rebuilt.data());
            double square = 0;
            for (int64_t t = 0; t < kPlantLength; ++t) square += std::pow(rebuilt[t] - x[t], 2) / kPlantLength;
            EXPECT_NEAR(found["native.parts"].row(w)[c], square, 1e-5 * square);
            mean += square / 3;
        }
        EXPECT_NEAR(found["native"].row(w)[0], mean, 1e-5 * mean);
    }
}

}  // namespace
}  // namespace cmr::score
