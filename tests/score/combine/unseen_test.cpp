#include "score/combine/unseen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "score/combine/log_scale.h"

namespace cmr::score {
namespace {

data::Window at(int64_t begin) {
    data::Window out{};
    out.begin = begin;
    return out;
}

TEST(Unseen, AreTheValidationWindows) {
    data::Fold fold;
    std::vector<data::Window> windows;
    for (int64_t i = 0; i < 200; ++i) {
        (i >= 80 && i < 140 ? fold.validation : fold.train).push_back(at(i));
        windows.push_back(at(i));
    }
    const std::vector<int64_t> rows = unseen_rows(windows, fold, 1);
    ASSERT_EQ(rows.size(), 60);
    EXPECT_EQ(rows.front(), 80);
    EXPECT_EQ(rows.back(), 139);
}

// 60 windows that overlap by all but one sample are hardly more than one.
TEST(Unseen, AreNoneWhereValidationWindowsOverlapMuch) {
    data::Fold fold;
    std::vector<data::Window> windows;
    for (int64_t i = 0; i < 200; ++i) {
        (i >= 140 ? fold.validation : fold.train).push_back(at(i));
        windows.push_back(at(i));
    }
    EXPECT_TRUE(unseen_rows(windows, fold, 50).empty());
    EXPECT_EQ(unseen_rows(windows, fold, 2).size(), 60);
}

// Windows as they are scored lie denser than those of training.
TEST(Unseen, AreAllInsideWhatValidationCovers) {
    data::Fold fold;
    std::vector<data::Window> windows;
    for (int64_t i = 0; i < 200; ++i) (i >= 100 ? fold.validation : fold.train).push_back(at(8 * i));
    for (int64_t begin = 0; begin <= 8 * 199; begin += 2) windows.push_back(at(begin));
    const std::vector<int64_t> rows = unseen_rows(windows, fold, 8);
    ASSERT_EQ(rows.size(), 4 * 99 + 1);
    EXPECT_EQ(windows[rows.front()].begin, 800);
    EXPECT_EQ(windows[rows.back()].begin, 8 * 199);
}

// Those of training may lie between those of validation.
TEST(Unseen, AreNotTrainedOn) {
    data::Fold fold;
    std::vector<data::Window> windows;
    for (int64_t i = 0; i < 400; ++i) {
        (i % 2 == 0 ? fold.validation : fold.train).push_back(at(i));
        windows.push_back(at(i));
    }
    const std::vector<int64_t> rows = unseen_rows(windows, fold, 4);
    ASSERT_EQ(rows.size(), 200);
    for (const int64_t row : rows) EXPECT_EQ(row % 2, 0);
}

TEST(Unseen, AreNoneWhereValidationIsTooShort) {
    data::Fold fold;
    std::vector<data::Window> windows;
    for (int64_t i = 0; i < 200; ++i) {
        (i < 5 ? fold.validation : fold.train).push_back(at(i));
        windows.push_back(at(i));
    }
    EXPECT_TRUE(unseen_rows(windows, fold, 1).empty());
}

// Two scores, one learned: too low and too close together where the network has seen the windows.
TEST(Unseen, SeenScoresAreMovedAndOthersLeft) {
    const std::array kinds = {&scorer_named("residual"), &scorer_named("pca")};
    Matrix scores(300, 2);
    Rng rng(1);
    std::vector<int64_t> unseen;
    for (int64_t i = 0; i < scores.rows; ++i) {
        const bool seen = i < 200;
        if (!seen) unseen.push_back(i);
        scores.row(i)[0] = static_cast<float>(std::exp((seen ? 0.2 : 0.5) * rng.normal()) * (seen ? 1 : 3));
        scores.row(i)[1] = static_cast<float>(std::exp(0.5 * rng.normal()) * (seen ? 1 : 3));
    }
    const Matrix before = scores;
    move_seen(scores, kinds, unseen);
    std::vector<double> moved, judged_by;
    for (int64_t i = 0; i < scores.rows; ++i) {
        EXPECT_EQ(scores.row(i)[1], before.row(i)[1]);
        if (i >= 200) {
            EXPECT_EQ(scores.row(i)[0], before.row(i)[0]);
        }
        (i < 200 ? moved : judged_by).push_back(scores.row(i)[0]);
        // Which of two seen windows is the more anomalous stays.
        if (i > 0 && i < 200) {
            EXPECT_EQ(scores.row(i)[0] < scores.row(i - 1)[0], before.row(i)[0] < before.row(i - 1)[0]);
        }
    }
    const LogScale from = log_scale(moved), to = log_scale(judged_by);
    EXPECT_NEAR(from.median, to.median, 1e-5);
    EXPECT_NEAR(from.deviation, to.deviation, 1e-5);
}

TEST(Unseen, NothingMovesWhereAllOrNothingIsUnseen) {
    const std::array kinds = {&scorer_named("residual")};
    Matrix scores(3, 1);
    scores.values = {1, 2, 3};
    for (const std::vector<int64_t>& unseen : {std::vector<int64_t>{0, 1, 2}, std::vector<int64_t>{}}) {
        move_seen(scores, kinds, unseen);
        EXPECT_EQ(scores.values, (std::vector<float>{1, 2, 3}));
    }
}

}  // namespace
}  // namespace cmr::score
