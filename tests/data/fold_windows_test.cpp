#include "data/fold_windows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cmr::data {
namespace {

Window window(int32_t recording, int64_t begin) { return {.recording = recording, .begin = begin}; }

Fold fold() {
    Fold out;
    for (const int64_t begin : {0, 16, 32, 48, 200, 216}) out.train.push_back(window(0, begin));
    out.validation = {window(0, 96), window(0, 128)};
    out.test = {window(1, 0), window(1, 64), window(1, 80), window(2, 5), window(0, 300)};
    return out;
}

TEST(FoldWindows, KeepsEveryWindowInAFewRuns) {
    const FoldWindows runs = runs_of(fold());
    EXPECT_EQ(runs.train, (std::vector<WindowRun>{{0, 0, 16, 4}, {0, 200, 16, 2}}));
    EXPECT_EQ(windows_of(runs.train), fold().train);
    EXPECT_EQ(windows_of(runs.validation), fold().validation);
    std::vector<Window> test = fold().test;
    std::ranges::sort(test);
    EXPECT_EQ(windows_of(runs.test), test);
}

TEST(FoldSides, TellsOnWhichSideAWindowIs) {
    const FoldSides sides(runs_of(fold()), 32);
    EXPECT_EQ(sides.side(window(0, 16)), "train");
    EXPECT_EQ(sides.side(window(0, 70)), "train") << "shares samples 70 to 79";
    EXPECT_EQ(sides.side(window(0, 80)), "validation") << "training ends at 79";
    EXPECT_EQ(sides.side(window(0, 160)), "other");
    EXPECT_EQ(sides.side(window(0, 169)), "train") << "shares sample 200";
    EXPECT_EQ(sides.side(window(0, 300)), "test");
    EXPECT_EQ(sides.side(window(0, 301)), "other") << "no window of the fold, nor near one";
    EXPECT_EQ(sides.side(window(1, 64)), "test");
    EXPECT_EQ(sides.side(window(1, 32)), "other") << "between two test windows, but none itself";
    EXPECT_EQ(sides.side(window(2, 5)), "test");
    EXPECT_EQ(sides.side(window(3, 0)), "other");
}

// Under the paper's protocol validation windows are test windows too.
TEST(FoldSides, WhatIsTestedIsTest) {
    Fold both = fold();
    both.test = both.validation;
    EXPECT_EQ(FoldSides(runs_of(both), 32).side(window(0, 96)), "test");
    EXPECT_EQ(FoldSides(runs_of(both), 32).side(window(0, 97)), "validation");
}

}  // namespace
}  // namespace cmr::data
