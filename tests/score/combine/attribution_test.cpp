#include "score/combine/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rng.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

constexpr int64_t kChannels = 3, kRows = 200;
const std::vector<const ScorerKind*> kKinds = {&scorer_named("raw-knn"), &scorer_named("lagged"),
                                               &scorer_named("marginal")};
const std::vector<std::string> kNames = {"raw-knn", "lagged", "marginal"};

// Parts of log-normal size, on scales that differ by channel; that of the broken channel times `factor`.
Matrix parts(double factor, int64_t broken, uint64_t seed) {
    constexpr double kScale[] = {1, 1000, 1e-3};
    Matrix out(kRows, kChannels);
    Rng rng(seed);
    for (int64_t i = 0; i < kRows; ++i)
        for (int64_t c = 0; c < kChannels; ++c)
            out.row(i)[c] = static_cast<float>(kScale[c] * std::exp(0.3 * rng.normal()) * (c == broken ? factor : 1));
    return out;
}

// What k-NN (which has no parts), the lagged mechanism and the marginal deviation say of windows with a broken channel.
CrossFitted judged(double lagged, double marginal, int64_t broken, uint64_t seed) {
    Rng rng(seed + 100);
    Matrix scores(kRows, 3);
    for (float& value : scores.values) value = static_cast<float>(std::exp(rng.normal()));
    return {std::move(scores), {Matrix(), parts(lagged, broken, seed), parts(marginal, broken, seed + 1)}};
}

Combined combined() { return Combined({kNames, judged(1, 1, -1, 3).scores}); }
Attribution fitted() { return {combined(), kKinds, judged(1, 1, -1, 3), {}}; }

// Each voice says as much as told.
Matrix residuals(const Attribution& attribution, const CrossFitted& windows, float lagged, float marginal) {
    Matrix voices(kRows, 3);
    for (int64_t i = 0; i < kRows; ++i) {
        voices.row(i)[1] = lagged;
        voices.row(i)[2] = marginal;
    }
    return attribution([&](const std::string& name) { return &windows.by_channel[name == "lagged" ? 1 : 2]; }, voices);
}

double share_first(const Matrix& found, int64_t channel) {
    int64_t hits = 0;
    for (int64_t i = 0; i < found.rows; ++i)
        hits += std::ranges::max_element(found.row(i)) - found.row(i).begin() == channel;
    return static_cast<double>(hits) / static_cast<double>(found.rows);
}

TEST(Attribution, NamesTheChannelThatAnyOfTheVoicesSeesClearly) {
    for (int64_t broken = 0; broken < kChannels; ++broken) {
        EXPECT_GT(share_first(residuals(fitted(), judged(50, 1, broken, 7), 5, 0), broken), 0.95) << "lagged sees it";
        EXPECT_GT(share_first(residuals(fitted(), judged(1, 50, broken, 9), 0, 5), broken), 0.95) << "marginal";
    }
}

// The two voices disagree: what raised the alarm explains it.
TEST(Attribution, TheVoiceThatSaysMostDecides) {
    CrossFitted windows = judged(5, 1, 0, 7);
    windows.by_channel[2] = parts(5, 2, 8);
    EXPECT_GT(share_first(residuals(fitted(), windows, 10, 0), 0), 0.95);
    EXPECT_GT(share_first(residuals(fitted(), windows, 0, 10), 2), 0.95);
}

TEST(Attribution, ResidualsAreHealthyDeviationsWhereTheyAreLarge) {
    const Attribution attribution = fitted();
    double sum = 0;
    const Matrix healthy = residuals(attribution, judged(1, 1, -1, 30), 0, 0);
    for (const float value : healthy.values) {
        EXPECT_GE(value, 0);
        sum += value / static_cast<double>(healthy.values.size());
    }
    EXPECT_NEAR(sum, std::log(2), 0.2);
    // Ten deviations of 0.3 in the logarithm, in both voices.
    const Matrix broken = residuals(attribution, judged(std::exp(3), std::exp(3), 1, 31), 3, 3);
    double mean = 0;
    for (int64_t i = 0; i < kRows; ++i) mean += broken.row(i)[1] / static_cast<double>(kRows);
    EXPECT_NEAR(mean, 10, 1.5);
}

// It leaves a hundredth of the windows that it was trained on, here the first half.
TEST(Attribution, OfANetworkIsInDeviationsOfWindowsThatItHasNotSeen) {
    const std::vector<const ScorerKind*> kinds = {&scorer_named("mechanism"), &scorer_named("marginal")};
    const std::vector<std::string> names = {"mechanism", "marginal"};
    CrossFitted windows{Matrix(kRows, 2), {parts(1, -1, 3), parts(1, -1, 4)}};
    Rng rng(5);
    for (float& value : windows.scores.values) value = static_cast<float>(std::exp(rng.normal()));
    std::vector<int64_t> unseen;
    for (int64_t i = 0; i < kRows; ++i) {
        if (i < kRows / 2)
            for (Matrix& own : windows.by_channel)
                for (float& value : own.row(i)) value *= 0.01f;
        else
            unseen.push_back(i);
    }
    io::Safetensors file;
    Archive archive(file, "test");
    Attribution(Combined({names, windows.scores}), kinds, windows, unseen).save(archive);
    const Eigen::VectorXd of_unseen = archive.below("mechanism").vector("median");
    const Eigen::VectorXd of_all = archive.below("marginal").vector("median");
    for (int64_t c = 0; c < kChannels; ++c) {
        EXPECT_NEAR(of_unseen(c), std::log(std::array{1.0, 1000.0, 1e-3}[c]), 0.1);
        EXPECT_LT(of_all(c), of_unseen(c) - 0.3) << "what learned nothing has seen none";
    }
}

TEST(Attribution, ComesBackFromAFileWithTheSameBits) {
    const Attribution attribution = fitted();
    io::Safetensors file;
    Archive archive(file, "test");
    attribution.save(archive);
    const Attribution loaded(archive, combined(), kChannels);
    const CrossFitted some = judged(3, 2, 1, 50);
    EXPECT_EQ(residuals(loaded, some, 2, 1).values, residuals(attribution, some, 2, 1).values);
    test::expect_input_error([&] { Attribution(archive, combined(), kChannels + 1); }, {"effects"});
}

}  // namespace
}  // namespace cmr::score
