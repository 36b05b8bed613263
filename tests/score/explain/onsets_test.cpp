#include "score/explain/onsets.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace cmr::score {
namespace {

// One window every 10 s; a row per effect, which is easier to read.
std::vector<EffectOnset> found(const std::vector<std::vector<float>>& effects, double unsure_s = 0,
                               const Eigen::MatrixXd& drives = {}) {
    Matrix residuals(std::ssize(effects.front()), std::ssize(effects));
    std::vector<double> end_s;
    for (int64_t i = 0; i < residuals.rows; ++i) {
        end_s.push_back(10.0 * static_cast<double>(i));
        for (int64_t c = 0; c < residuals.columns; ++c) residuals.row(i)[c] = effects[c][i];
    }
    std::vector<int64_t> all(effects.size());
    std::iota(all.begin(), all.end(), 0);
    return onsets(residuals, all, end_s, unsure_s, drives);
}

std::vector<int64_t> order(const std::vector<EffectOnset>& all) {
    std::vector<int64_t> out;
    for (const EffectOnset& each : all) out.push_back(each.effect);
    return out;
}

TEST(Onsets, TheEarliestComesFirstAndWhatStaysIsNotThere) {
    const auto all = found({{1, 1, 1, 1, 9, 9}, {1, 1, 9, 9, 9, 9}, {1, 1, 1, 1, 1, 1}});
    EXPECT_EQ(order(all), (std::vector<int64_t>{1, 0}));
    EXPECT_EQ(all[0].onset_s, 20);
    EXPECT_EQ(all[1].onset_s, 40);
}

// 4 exceeds 3 by 1: three such in a row are needed, and what lies between takes away.
TEST(Onsets, OneOddWindowIsNoneAndALastingOneBeganWhereItsSumDid) {
    EXPECT_TRUE(found({{1, 5, 1, 1, 5, 1}}).empty());
    const auto lasting = found({{1, 5, 1, 4, 4, 4}});
    ASSERT_EQ(lasting.size(), 1u);
    EXPECT_EQ(lasting[0].onset_s, 30);
    EXPECT_TRUE(found({{1, 4, 4, 1, 4, 4}}).empty());
}

TEST(Onsets, AnEffectThatCameBackBeganAnew) {
    const auto again = found({{7, 1, 1, 1, 5, 5}});
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].onset_s, 40);
}

TEST(Onsets, OnlyEffectsThatCountAreThere) {
    Matrix residuals(2, 3);
    std::ranges::fill(residuals.values, 9.0f);
    const std::vector<double> end_s = {10, 20};
    EXPECT_EQ(order(onsets(residuals, std::vector<int64_t>{1}, end_s, 0, {})), std::vector<int64_t>{1});
}

TEST(Onsets, AnEffectThatIsAbsentSaysNothing) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    const auto all = found({{1, 5, none, 5, 3, 3}});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].onset_s, 10);
}

TEST(Onsets, WithinTheLengthOfAWindowTheDriverComesFirst) {
    Eigen::MatrixXd drives = Eigen::MatrixXd::Zero(3, 3);
    drives(1, 0) = 2;  // effect 1 drives effect 0
    drives(0, 1) = 0.5;
    drives(2, 0) = 9;  // and so does 2, which is too late
    const std::vector<std::vector<float>> effects = {{9, 9, 9, 9, 9}, {1, 9, 9, 9, 9}, {1, 1, 1, 9, 9}};
    EXPECT_EQ(order(found(effects, 20, drives)), (std::vector<int64_t>{1, 0, 2}));
    EXPECT_EQ(order(found(effects, 10, drives)), (std::vector<int64_t>{0, 1, 2})) << "sure enough";
    EXPECT_EQ(order(found(effects, 20)), (std::vector<int64_t>{0, 1, 2})) << "nobody knows who drives whom";
}

}  // namespace
}  // namespace cmr::score
