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

std::vector<int64_t> first_rows(int64_t rows) {
    std::vector<int64_t> out(rows);
    std::iota(out.begin(), out.end(), 0);
    return out;
}

// Faults that the second score sees well, the first a little and the third not at all.
Combined fitted() { return {kHealthy, std::vector{scores(400, {1.2, 4, 1}, 2)}, first_rows(400), kAll}; }

TEST(Combined, WeightsAreSharesOfWhichNoneIsTooSmall) {
    const Eigen::VectorXd weights = fitted().weights();
    EXPECT_NEAR(weights.sum(), 1, 1e-6);
    EXPECT_GE(weights.minCoeff(), 0.15 * weights.maxCoeff() * (1 - 1e-6));
}

TEST(Combined, TheScoreThatSeesMostWeighsMost) {
    for (const uint64_t seed : {3, 4, 5}) {
        for (int64_t k = 0; k < 3; ++k) {
            std::vector<double> factor = {1.1, 1.1, 1.1};
            factor[k] = 3;
            const Combined combined(kHealthy, std::vector{scores(300, factor, seed)}, first_rows(300), kAll);
            Eigen::Index largest = -1;
            combined.weights().maxCoeff(&largest);
            EXPECT_EQ(largest, k);
        }
    }
}

// Classes that a score parts without an error have no finite optimum but for the penalty.
TEST(Combined, BearsFaultsThatAreTooEasy) {
    const Combined combined(kHealthy, std::vector{scores(50, {1e6, 1, 1}, 2), scores(50, {1e4, 1e9, 1}, 3)},
                            first_rows(50), kAll);
    EXPECT_TRUE(combined.weights().allFinite());
    EXPECT_NEAR(combined.weights().sum(), 1, 1e-6);
    EXPECT_GT(combined.weights()(0), combined.weights()(2));
}

TEST(Combined, AFaultThatOneScoreAloneSeesIsSeen) {
    const Combined combined = fitted();
    const std::vector<float> healthy = combined(kHealthy);
    for (int64_t k = 0; k < 3; ++k) {
        std::vector<double> factor = {1, 1, 1};
        factor[k] = 1e4;  // 30 deviations
        const double seen = test::auroc(healthy, combined(scores(100, factor, 9)));
        EXPECT_GT(seen, combined.weights()(k) > 0.5 ? 0.999 : 0.9) << "score " << k;
    }
}

// The first of the two deciding kinds that a score can tell decides alone; else all kinds do.
TEST(Combined, WeighsByTheFirstDecidingKindThatCanBeTold) {
    const auto heaviest = [&](const std::vector<double>& first, const std::vector<double>& second) {
        const std::vector rehearsed = {scores(400, first, 3), scores(400, second, 4), scores(400, {1, 1, 9}, 2)};
        const Combined combined(kHealthy, rehearsed, first_rows(400), kAll);
        Eigen::Index largest = -1;
        combined.weights().maxCoeff(&largest);
        return largest;
    };
    EXPECT_EQ(heaviest({1, 3, 1}, {9, 1, 1}), 1);
    EXPECT_EQ(heaviest({1, 1.05, 1}, {9, 1, 1}), 0);
    EXPECT_EQ(heaviest({1, 1.05, 1}, {1.05, 1, 1}), 2);
}

TEST(Combined, EveryScoreKeepsASmallSay) {
    const std::vector rehearsed = {scores(400, {1, 4, 1}, 2)};
    const Eigen::VectorXd weights = Combined(kHealthy, rehearsed, first_rows(400), kAll).weights();
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
    const Eigen::VectorXd weights = Combined(healthy, told, first_rows(400), kAll).weights();
    EXPECT_NEAR(weights(2), 0.15 * weights(1), 1e-6);
    // Where nothing can be told well, it is all that there is.
    const Eigen::VectorXd others = Combined(healthy, hardly_told, first_rows(400), kAll).weights();
    EXPECT_GT(others(2), 0.5 * others(1));
}

TEST(Combined, AnUnusedScoreHasNoWeightAndNoSay) {
    const Combined combined(kHealthy, std::vector{scores(400, {1.5, 9, 1}, 2)}, first_rows(400), {true, false, true});
    EXPECT_EQ(combined.weights()(1), 0);
    EXPECT_NEAR(combined.weights().sum(), 1, 1e-6);
    Matrix changed = kHealthy;
    for (int64_t i = 0; i < changed.rows; ++i) changed.row(i)[1] *= 100;
    EXPECT_EQ(combined(changed), combined(kHealthy));
}

TEST(Combined, WeighsAllAlikeWhereRehearsalShowsNothing) {
    const Combined combined(kHealthy, std::vector{scores(400, {0.5, 0.5, 0.5}, 2)}, first_rows(400), kAll);
    for (int64_t k = 0; k < 3; ++k) EXPECT_NEAR(combined.weights()(k), 1.0 / 3, 1e-6);
}

TEST(Combined, RisesWithEveryScore) {
    const Combined combined = fitted();
    for (int64_t k = 0; k < 3; ++k) {
        float before = -1;
        for (double log = -40; log < 80; log += 0.05) {
            Matrix row(1, 3);
            row.values = {1, 1, 1};
            row.values[k] = static_cast<float>(std::exp(log));
            const float now = combined(row).front();
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
    EXPECT_EQ(Combined(archive)(kHealthy), combined(kHealthy));
}

TEST(Combined, RefusesAFileThatDoesNotFit) {
    const auto refused = [](const Eigen::VectorXd& median, const Eigen::VectorXd& deviation,
                            const Eigen::VectorXd& weights) {
        io::Safetensors file{.source = "a.cmr", .metadata = {}, .tensors = {}};
        Archive archive(file, "combined");
        archive.put("median", median);
        archive.put("deviation", deviation);
        archive.put("weights", weights);
        test::expect_input_error([&] { Combined c(archive); }, {"a.cmr", "combined"});
    };
    const Eigen::VectorXd two = Eigen::VectorXd::Ones(2), three = Eigen::VectorXd::Ones(3);
    refused(two, three, three);
    refused(three, two, three);
    refused(three, three, two);
    refused(two, Eigen::VectorXd::Zero(2), two);
    refused(two, two, -two);
}

// Pareto: P(score > s) = s^-3 for s ≥ 1. On a logarithmic scale its tail is exactly exponential.
std::vector<float> pareto(int64_t count, uint64_t seed) {
    std::vector<float> out(count);
    Rng rng(seed);
    for (float& value : out) value = static_cast<float>(std::pow(1 - rng.uniform(), -1.0 / 3));
    return out;
}

TEST(Tail, IsThatOfAParetoDistribution) {
    const Tail tail(pareto(20'000, 1));
    for (const double s : {1.5, 2.0, 3.0, 5.0, 10.0, 100.0})
        EXPECT_NEAR(std::log(tail.p_value(s)), -3 * std::log(s), 0.05 * 3 * std::log(s)) << "at " << s;
}

TEST(Tail, PValuesOfHealthyScoresAreUniform) {
    const Tail tail(pareto(5'000, 1));
    const std::vector<float> fresh = pareto(5'000, 2);
    for (const double p : {0.01, 0.05, 0.2, 0.5, 0.9}) {
        const auto below = std::ranges::count_if(fresh, [&](float s) { return tail.p_value(s) <= p; });
        EXPECT_NEAR(static_cast<double>(below) / 5'000, p, 4 * std::sqrt(p * (1 - p) / 2'500)) << p;
    }
}

TEST(Tail, PValuesFallWithoutAJumpUpwards) {
    for (const int64_t count : {10, 11, 37, 1000}) {
        const Tail tail(pareto(count, 3));
        double before = 1;
        for (double s = 0.9; s < 50; s *= 1.001) {
            const double p = tail.p_value(s);
            EXPECT_LE(p, before) << count << " scores, at " << s;
            before = p;
        }
        EXPECT_LE(tail.p_value(0.5), 1);
    }
}

TEST(Tail, NothingIsImpossible) {
    const Tail tail(pareto(1000, 1)), flat(std::vector<float>(100, 2.0f));
    for (const double s : {1e3, 1e6, 1e30, 1e300}) {
        EXPECT_GT(tail.p_value(s), 0);
        EXPECT_GT(flat.p_value(s), 0);
    }
    EXPECT_LT(tail.p_value(1e6), 1e-15);
    EXPECT_EQ(flat.p_value(2), 1);
    EXPECT_LE(flat.p_value(2.1), 0.1);
    EXPECT_LE(tail.p_value(0), 1);
}

TEST(Tail, NeedsTenScores) {
    test::expect_input_error([] { Tail(std::vector<float>(9, 1.0f)); }, {"9 healthy scores", "10"});
}

}  // namespace
}  // namespace cmr::score
