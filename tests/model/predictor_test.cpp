#include "model/predictor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "model/tiny_model.h"

namespace cmr::model {
namespace {

class PredictorTest : public testing::Test {
  protected:
    void TearDown() override { set_thread_count(before_); }
    int before_ = thread_count();
};

std::vector<float> predict(const Model& model, int64_t windows, int64_t tokens, const std::vector<float>& causes) {
    std::vector<float> effects(
        static_cast<size_t>(windows * tokens * model.config.effect_channels() * model.config.width), NAN);
    Predictor(model).predict(windows, tokens, causes.data(), effects.data());
    return effects;
}

// The tokens of one window whose prediction moves when the causes of token `moved` do.
std::vector<int64_t> reached_from(const Model& model, int64_t tokens, int64_t moved) {
    const int64_t in = model.config.cause_channels() * model.config.width;
    const int64_t out = model.config.effect_channels() * model.config.width;
    std::vector<float> causes = random_values(tokens * in, 2);
    const std::vector<float> before = predict(model, 1, tokens, causes);
    for (int64_t j = 0; j < in; ++j) causes[moved * in + j] += 1.0f + 0.1f * static_cast<float>(j % 7);
    const std::vector<float> after = predict(model, 1, tokens, causes);
    std::vector<int64_t> reached;
    for (int64_t t = 0; t < tokens; ++t)
        if (!std::equal(&before[t * out], &before[t * out] + out, &after[t * out])) reached.push_back(t);
    return reached;
}

std::vector<int64_t> range(int64_t first, int64_t last) {
    std::vector<int64_t> values;
    for (int64_t t = first; t <= last; ++t) values.push_back(t);
    return values;
}

TEST_F(PredictorTest, SeesTheTokenItselfAndTwelveBeforeItButNoneAfter) {
    for (const Config& config : {tiny_config(), tiny_config_of_many_effects()}) {
        EXPECT_EQ(reached_from(used_model(config), 60, 20), range(20, 32));
        EXPECT_EQ(reached_from(used_model(config), 60, 0), range(0, 12));
        EXPECT_EQ(reached_from(used_model(config), 60, 55), range(55, 59));
    }
    Config narrow = tiny_config();
    narrow.predictor_blocks = 1;
    narrow.predictor_kernel = 3;
    EXPECT_EQ(reached_from(used_model(narrow), 20, 5), range(5, 7));
}

TEST_F(PredictorTest, GivesAWindowTheSameBitsAloneInABatchAndOnAnyThreads) {
    const Model model = used_model(tiny_config_of_many_effects());
    const int64_t windows = 7, tokens = 250, in = 3 * 16, out = 3 * 16;
    const std::vector<float> causes = random_values(windows * tokens * in, 3);
    set_thread_count(1);
    const std::vector<float> together = predict(model, windows, tokens, causes);
    for (const int threads : {2, 3, 7}) {
        set_thread_count(threads);
        EXPECT_EQ(predict(model, windows, tokens, causes), together) << threads << " threads";
    }
    for (int64_t w = 0; w < windows; ++w) {
        const float* first = &causes[w * tokens * in];
        const std::vector<float> alone = predict(model, 1, tokens, {first, first + tokens * in});
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &together[w * tokens * out])) << "window " << w;
    }
}

// Without blocks and with the output at its start, what is left is gelu(norm(fusion(causes))).
TEST_F(PredictorTest, StartsAsTheFusedCauses) {
    Config config = tiny_config();
    config.predictor_blocks = 0;
    const Model model = new_model(config);
    const float* fusion = model.at("predictor.fusion.weight");  // [16, 32]
    const std::vector<float> causes = random_values(5 * 32, 4), found = predict(model, 1, 5, causes);
    for (int t = 0; t < 5; ++t) {
        double h[16] = {}, mean = 0.0, variance = 0.0;
        for (int i = 0; i < 16; ++i) {
            for (int j = 0; j < 32; ++j) h[i] += double{fusion[i * 32 + j]} * causes[t * 32 + j];
            mean += h[i] / 16;
        }
        for (const double v : h) variance += (v - mean) * (v - mean) / 16;
        for (int i = 0; i < 16; ++i) {
            const double v = (h[i] - mean) / std::sqrt(variance + 1e-5);
            EXPECT_NEAR(found[t * 16 + i], 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0))), 2e-6);
        }
    }
}

TEST_F(PredictorTest, TakesOneTokenAndStaysFiniteForExtremeOnes) {
    const Model model = used_model(tiny_config());
    for (const float size : {0.0f, 1e-40f, 1.0f, 1e10f})
        for (const float v : predict(model, 2, 1, std::vector<float>(2 * 32, size)))
            EXPECT_TRUE(std::isfinite(v)) << size;
}

}  // namespace
}  // namespace cmr::model
