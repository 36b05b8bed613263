#include "score/combine/combined.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "score/auroc.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

const std::vector<std::string> kNames = {"marginal", "lagged", "pca"};

NamedScores named(const Matrix& values) { return {kNames, values}; }

// Log-normal scores; what all voices share has `shared` of the variance; voice k of each row times factor[k].
Matrix scores(int64_t rows, double shared, const std::vector<double>& factor, uint64_t seed) {
    Matrix out(rows, std::ssize(factor));
    Rng rng(seed);
    for (int64_t i = 0; i < rows; ++i) {
        const double common = std::sqrt(shared) * rng.normal();
        for (size_t k = 0; k < factor.size(); ++k)
            out.row(i)[k] =
                static_cast<float>(std::exp(0.3 * (common + std::sqrt(1 - shared) * rng.normal())) * factor[k]);
    }
    return out;
}

double mean(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

TEST(Combined, VoicesOfHealthyWindowsAreWhite) {
    const Matrix healthy = scores(4000, 0.6, {1, 1, 1}, 1);
    const Matrix voices = Combined(named(healthy)).voices_of(named(healthy));
    for (int64_t a = 0; a < 3; ++a)
        for (int64_t b = 0; b <= a; ++b) {
            double sum = 0;
            for (int64_t i = 0; i < voices.rows; ++i) sum += voices.row(i)[a] * voices.row(i)[b];
            // The diagonal is counted somewhat more than it is.
            EXPECT_NEAR(sum / static_cast<double>(voices.rows), a == b ? 1 : 0, 0.12) << a << ", " << b;
        }
}

TEST(Combined, AFaultThatOneVoiceAloneSeesIsSeen) {
    const Matrix healthy = scores(1000, 0.6, {1, 1, 1}, 1);
    const Combined combined(named(healthy));
    for (int64_t k = 0; k < 3; ++k) {
        std::vector<double> factor = {1, 1, 1};
        factor[k] = 3.5;  // four deviations
        const Matrix faulty = scores(500, 0.6, factor, 9);
        EXPECT_GT(test::auroc(combined(named(healthy)), combined(named(faulty))), 0.99) << "voice " << k;
        const Matrix voices = combined.voices_of(named(faulty));
        int64_t loudest = 0;
        for (int64_t i = 0; i < voices.rows; ++i)
            loudest += std::ranges::max_element(voices.row(i)) - voices.row(i).begin() == k;
        EXPECT_GT(loudest, 450) << "voice " << k << " raised it";
    }
}

// Two deviations of one voice are odd where the voices move together, and usual where each goes its own way; two
// deviations of all are the other way round.
TEST(Combined, WhatHealthyWindowsDoTogetherSaysLess) {
    const Combined together(named(scores(4000, 0.8, {1, 1, 1}, 1))), apart(named(scores(4000, 0, {1, 1, 1}, 2)));
    const double up = std::exp(0.6);
    Matrix one(1, 3), all(1, 3);
    one.values = {static_cast<float>(up), 1, 1};
    std::ranges::fill(all.values, static_cast<float>(up));
    EXPECT_GT(together(named(one))[0], apart(named(one))[0] + 0.5);
    EXPECT_LT(together(named(all))[0], together(named(one))[0] - 0.5);
    EXPECT_NEAR(apart(named(all))[0], apart(named(one))[0], 0.3);
}

// A model knows the windows that it was fitted on too well: its voices are low there, each by another amount. No voice
// is raised, so nothing is.
TEST(Combined, VoicesThatAreLowRaiseNoOther) {
    const Combined combined(named(scores(4000, 0.6, {1, 1, 1}, 1)));
    Matrix usual(1, 3), low(1, 3);
    std::ranges::fill(usual.values, 1.0f);
    low.values = {1, 1e-9f, 1e-9f};
    const Matrix raised = combined.voices_of(named(low));
    EXPECT_LT(*std::ranges::max_element(raised.row(0)), 3.5) << "two that are as low as it gets";
    low.values = {1e-9f, 1e-9f, 1e-9f};
    EXPECT_LE(combined(named(low))[0], combined(named(usual))[0]);
    const Combined unlimited(named(scores(4000, 0.6, {1, 1, 1}, 1)), -1e6);
    low.values = {1, 1e-9f, 1e-9f};
    EXPECT_GT(*std::ranges::max_element(unlimited.voices_of(named(low)).row(0)), 20);
}

TEST(Combined, AFaultThatMovesAllVoicesFarIsSeen) {
    const Matrix healthy = scores(1000, 0.8, {1, 1, 1}, 1);
    const Combined combined(named(healthy));
    EXPECT_GT(test::auroc(combined(named(healthy)), combined(named(scores(300, 0.8, {20, 20, 20}, 3)))), 0.999);
}

// Three windows of a storm must not make the usual ones look alike.
TEST(Combined, AFewWildHealthyWindowsChangeLittle) {
    Matrix healthy = scores(400, 0.5, {1, 1, 1}, 1);
    const Matrix faulty = scores(300, 0.5, {3, 1, 1}, 2);
    const double before = mean(Combined(named(healthy))(named(faulty)));
    for (int64_t i = 0; i < 3; ++i)
        for (float& value : healthy.row(i)) value = 1e20f;
    EXPECT_NEAR(mean(Combined(named(healthy))(named(faulty))), before, 0.15 * before);
}

TEST(Combined, IsAFiniteNumberAboveZeroWhateverComes) {
    const Matrix healthy = scores(200, 0.5, {1, 1, 1}, 1);
    const Combined combined(named(healthy));
    for (const float extreme : {0.0f, 1e-30f, 1e30f, 3e38f}) {
        Matrix row(1, 3);
        row.values = {extreme, 1, extreme};
        EXPECT_TRUE(std::isfinite(combined(named(row))[0]));
        EXPECT_GE(combined(named(row))[0], 0);
    }
}

TEST(Combined, BearsVoicesThatSayTheSameAndOneThatSaysNothing) {
    Matrix healthy = scores(200, 0.5, {1, 1, 1}, 1);
    for (int64_t i = 0; i < healthy.rows; ++i) {
        healthy.row(i)[1] = healthy.row(i)[0];
        healthy.row(i)[2] = 1;
    }
    const Combined combined(named(healthy));
    for (const float value : combined(named(healthy))) EXPECT_TRUE(std::isfinite(value));
}

TEST(Combined, OfOneVoiceRanksAsThatVoice) {
    const std::vector<std::string> one = {"lagged"};
    Matrix healthy = scores(300, 0, {1}, 1);
    const Combined combined({one, healthy});
    Matrix rising(50, 1);
    for (int64_t i = 0; i < 50; ++i) rising.row(i)[0] = static_cast<float>(std::exp(0.1 * static_cast<double>(i)));
    const std::vector<float> found = combined({one, rising});
    EXPECT_TRUE(std::ranges::is_sorted(found));
    EXPECT_LT(found.front(), found.back());
}

TEST(Combined, ComesBackFromAFileWithTheSameBits) {
    const Matrix healthy = scores(300, 0.5, {1, 1, 1}, 1);
    const Combined combined(named(healthy));
    io::Safetensors file;
    Archive archive(file, "test");
    combined.save(archive);
    const std::vector<std::string> more = {"knn", "marginal", "lagged", "window", "pca"};
    const Combined loaded(archive, more);
    EXPECT_EQ(loaded.voices(), kNames);
    EXPECT_TRUE(loaded.holds("pca"));
    EXPECT_FALSE(loaded.holds("knn"));
    EXPECT_EQ(loaded(named(healthy)), combined(named(healthy)));
    const std::vector<std::string> fewer = {"marginal", "lagged"};
    test::expect_input_error([&] { Combined(archive, fewer); }, {"voices"});
}

}  // namespace
}  // namespace cmr::score
