#include "score/combine/combined.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "score/auroc.h"
#include "support/expect_input_error.h"

namespace cmr::score {
namespace {

// Log-normal scores; score k of each row times factor[k].
Matrix scores(int64_t rows, const std::vector<double>& factor, uint64_t seed) {
    Matrix out(rows, std::ssize(factor));
    Rng rng(seed);
    for (int64_t i = 0; i < rows; ++i)
        for (size_t k = 0; k < factor.size(); ++k)
            out.row(i)[k] = static_cast<float>(std::exp(0.3 * rng.normal()) * factor[k]);
    return out;
}

const Matrix kHealthy = scores(400, {1, 1, 1}, 1);
const std::vector<bool> kAll = {true, true, true};
const std::vector<std::string> kNames = {"knn", "lagged", "window"};

NamedScores named(const Matrix& values) { return {kNames, values}; }

// Of each score, in the order of their names.
Eigen::VectorXd weights_of(const Combined& combined) {
    return Eigen::Vector3d(combined.weight("knn"), combined.weight("lagged"), combined.weight("window"));
}

std::vector<int64_t> first_rows(int64_t rows) {
    std::vector<int64_t> out(rows);
    std::iota(out.begin(), out.end(), 0);
    return out;
}

// Faults that the second score sees well, the first a little and the third not at all.
Combined fitted() { return {named(kHealthy), std::vector{scores(400, {1.2, 4, 1}, 2)}, first_rows(400), kAll}; }

TEST(Combined, WeightsAreSharesOfWhichNoneIsTooSmall) {
    const Eigen::VectorXd weights = weights_of(fitted());
    EXPECT_NEAR(weights.sum(), 1, 1e-6);
    EXPECT_GE(weights.minCoeff(), 0.15 * weights.maxCoeff() * (1 - 1e-6));
}

TEST(Combined, TheScoreThatSeesMostWeighsMost) {
    for (const uint64_t seed : {3, 4, 5}) {
        for (int64_t k = 0; k < 3; ++k) {
            std::vector<double> factor = {1.1, 1.1, 1.1};
            factor[k] = 3;
            const Combined combined(named(kHealthy), std::vector{scores(300, factor, seed)}, first_rows(300), kAll);
            Eigen::Index largest = -1;
            weights_of(combined).maxCoeff(&largest);
            EXPECT_EQ(largest, k);
        }
    }
}

// Classes that a score parts without an error have no finite optimum but for the penalty.
TEST(Combined, BearsFaultsThatAreTooEasy) {
    const Combined combined(named(kHealthy), std::vector{scores(50, {1e6, 1, 1}, 2), scores(50, {1e4, 1e9, 1}, 3)},
                            first_rows(50), kAll);
    EXPECT_TRUE(weights_of(combined).allFinite());
    EXPECT_NEAR(weights_of(combined).sum(), 1, 1e-6);
    EXPECT_GT(weights_of(combined)(0), weights_of(combined)(2));
}

TEST(Combined, AFaultThatOneScoreAloneSeesIsSeen) {
    const Combined combined = fitted();
    const std::vector<float> healthy = combined(named(kHealthy));
    for (int64_t k = 0; k < 3; ++k) {
        std::vector<double> factor = {1, 1, 1};
        factor[k] = 1e4;  // 30 deviations
        const Matrix faulty = scores(100, factor, 9);
        const double seen = test::auroc(healthy, combined(named(faulty)));
        EXPECT_GT(seen, weights_of(combined)(k) > 0.5 ? 0.999 : 0.9) << "score " << k;
    }
}

// The first of the two deciding kinds that a score can tell decides alone; else all kinds do.
TEST(Combined, WeighsByTheFirstDecidingKindThatCanBeTold) {
    const auto heaviest = [&](const std::vector<double>& first, const std::vector<double>& second) {
        const std::vector rehearsed = {scores(400, first, 3), scores(400, second, 4), scores(400, {1, 1, 9}, 2)};
        const Combined combined(named(kHealthy), rehearsed, first_rows(400), kAll);
        Eigen::Index largest = -1;
        weights_of(combined).maxCoeff(&largest);
        return largest;
    };
    EXPECT_EQ(heaviest({1, 3, 1}, {9, 1, 1}), 1);
    EXPECT_EQ(heaviest({1, 1.05, 1}, {9, 1, 1}), 0);
    EXPECT_EQ(heaviest({1, 1.05, 1}, {1.05, 1, 1}), 2);
}

TEST(Combined, IsTheWeightedSumOfItsVoices) {
    const std::vector rehearsed = {scores(400, {1, 4, 1.5}, 2)};
    const Combined combined(named(kHealthy), rehearsed, first_rows(400), kAll);
    const std::vector<float> found = combined(named(rehearsed.front()));
    for (int64_t i = 0; i < 400; ++i) {
        double sum = 0;
        for (size_t k = 0; k < 3; ++k) {
            const Combined::Voice& voice = combined.voices()[k];
            sum += voice.weight * evidence_of(voice.scale.z(rehearsed.front().row(i)[k]));
        }
        EXPECT_NEAR(found[i], sum, 1e-5);
    }
}

TEST(Combined, EveryScoreKeepsASmallSay) {
    const std::vector rehearsed = {scores(400, {1, 4, 1}, 2)};
    const Eigen::VectorXd weights = weights_of(Combined(named(kHealthy), rehearsed, first_rows(400), kAll));
    EXPECT_NEAR(weights.minCoeff(), 0.15 * weights.maxCoeff(), 1e-6);
}

// The third score tells nothing by itself, but a regression would cancel the noise of the second with it.
TEST(Combined, ABlindScoreDoesNotCorrectOthers) {
    const auto noisy = [](double fault, uint64_t seed) {
        Matrix out(400, 3);
        Rng rng(seed);
        for (int64_t i = 0; i < out.rows; ++i) {
            const double noise = rng.normal();
            out.row(i)[0] = static_cast<float>(std::exp(0.3 * rng.normal()));
            out.row(i)[1] = static_cast<float>(std::exp(fault + noise));
            out.row(i)[2] = static_cast<float>(std::exp(-noise));
        }
        return out;
    };
    const Matrix healthy = noisy(0, 1);
    const std::vector told = {noisy(1.5, 2)}, hardly_told = {noisy(0.5, 2)};
    const Eigen::VectorXd weights = weights_of(Combined(named(healthy), told, first_rows(400), kAll));
    EXPECT_NEAR(weights(2), 0.15 * weights(1), 1e-6);
    // Where nothing can be told well, it is all that there is.
    const Eigen::VectorXd others = weights_of(Combined(named(healthy), hardly_told, first_rows(400), kAll));
    EXPECT_GT(others(2), 0.5 * others(1));
}

// The third score has the noise of the second and sees less, so a regression would subtract it. It must not: a score
// never speaks for health. Its weight is none but the least one, and the others share as if it were not there.
TEST(Combined, NoScoreIsSubtractedFromAnother) {
    const auto noisy = [](double fault, uint64_t seed) {
        Matrix out(400, 3);
        Rng rng(seed);
        for (int64_t i = 0; i < out.rows; ++i) {
            const double noise = rng.normal();
            out.row(i)[0] = static_cast<float>(std::exp(fault + rng.normal()));
            out.row(i)[1] = static_cast<float>(std::exp(1.5 * fault + noise));
            out.row(i)[2] = static_cast<float>(std::exp(0.7 * fault + noise));
        }
        return out;
    };
    const Matrix healthy = noisy(0, 1);
    const std::vector faulty = {noisy(1, 2)};
    const Eigen::VectorXd all = weights_of(Combined(named(healthy), faulty, first_rows(400), kAll));
    const Eigen::VectorXd two = weights_of(Combined(named(healthy), faulty, first_rows(400), {true, true, false}));
    EXPECT_NEAR(all(2), 0.15 * all(1), 1e-6);
    EXPECT_NEAR(all(0) / all(1), two(0) / two(1), 1e-4);
}

TEST(Combined, AnUnusedScoreHasNoWeightAndNoSay) {
    const Combined combined(named(kHealthy), std::vector{scores(400, {1.5, 9, 1}, 2)}, first_rows(400),
                            {true, false, true});
    EXPECT_EQ(weights_of(combined)(1), 0);
    EXPECT_NEAR(weights_of(combined).sum(), 1, 1e-6);
    Matrix changed = kHealthy;
    for (int64_t i = 0; i < changed.rows; ++i) changed.row(i)[1] *= 100;
    EXPECT_EQ(combined(named(changed)), combined(named(kHealthy)));
}

TEST(Combined, WeighsAllAlikeWhereRehearsalShowsNothing) {
    const Combined combined(named(kHealthy), std::vector{scores(400, {0.5, 0.5, 0.5}, 2)}, first_rows(400), kAll);
    for (int64_t k = 0; k < 3; ++k) EXPECT_NEAR(weights_of(combined)(k), 1.0 / 3, 1e-6);
}

TEST(Combined, RisesWithEveryScore) {
    const Combined combined = fitted();
    for (int64_t k = 0; k < 3; ++k) {
        float before = -1;
        for (double log = -40; log < 80; log += 0.05) {
            Matrix row(1, 3);
            row.values = {1, 1, 1};
            row.values[k] = static_cast<float>(std::exp(log));
            const float now = combined(named(row)).front();
            EXPECT_GE(now, before) << "score " << k << " at exp " << log;
            before = now;
        }
        EXPECT_TRUE(std::isfinite(before));
    }
}

TEST(Combined, ComesBackFromAFileWithTheSameBits) {
    const Combined combined = fitted();
    io::Safetensors file;
    Archive archive(file, "test");
    combined.save(archive);
    EXPECT_EQ(Combined(archive, kNames)(named(kHealthy)), combined(named(kHealthy)));
}

TEST(Combined, RefusesAFileThatDoesNotFit) {
    const auto refused = [](const std::string& name, double deviation, double weight, double voices) {
        io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
        Archive archive(file, "combined");
        Archive voice = archive.below(name);
        voice.put("median", 1.0);
        voice.put("deviation", deviation);
        voice.put("weight", weight);
        archive.put("voices", voices);
        test::expect_input_error([&] { Combined c(archive, kNames); }, {"a.cmr", "combined"});
    };
    refused("nothing", 1, 1, 1);  // a score that is not there
    refused("nothing", 1, 1, 0);
    refused("lagged", 1, 1, 2);
    refused("lagged", 0, 1, 1);
    refused("lagged", 1, -1, 1);
    refused("lagged", 1, 0, 1);
}

}  // namespace
}  // namespace cmr::score
