#include "score/features/pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::score {
namespace {

TEST(Pooling, GivesKnownNumbers) {
    const std::vector<float> tokens = {1, -1, 3, -1, 8, -1};  // three of two features
    const auto pool = [&](const char* name) {
        return pool_windows(pooling_named(name), 1, 3, 2, tokens.data()).values;
    };
    EXPECT_EQ(pool("mean"), (std::vector<float>{4, -1}));
    EXPECT_EQ(pool("max"), (std::vector<float>{8, -1}));
    const float deviation = std::sqrt(26.0f / 3.0f);
    EXPECT_EQ(pool("std"), (std::vector<float>{deviation, 0}));
    EXPECT_EQ(pool("mean+std"), (std::vector<float>{4, -1, deviation, 0}));
    EXPECT_EQ(pool("mean+std+max"), (std::vector<float>{4, -1, deviation, 0, 8, -1}));
}

TEST(Pooling, StdIsTheFirst) { EXPECT_EQ(poolings().front().name, "std"); }

// In float the squares of 1e6 leave nothing of a deviation of 1.
TEST(Pooling, KeepsItsDigitsFarFromZero) {
    Matrix tokens(1000, 1);
    for (int64_t t = 0; t < 1000; ++t) tokens.values[t] = t % 2 ? 1e6f + 1 : 1e6f - 1;
    EXPECT_EQ(pool_windows(pooling_named("std"), 1, 1000, 1, tokens.values.data()).values.front(), 1.0f);
}

TEST(Pooling, AWindowDoesNotSeeTheOthers) {
    const Matrix z = test::random_matrix(9, 15 * 7, 1);
    for (const Pooling& pooling : poolings()) {
        const Matrix all = pool_windows(pooling, 9, 15, 7, z.values.data());
        EXPECT_EQ(all.columns, pooling.parts * 7);
        for (int64_t w = 0; w < 9; ++w) {
            const Matrix alone = pool_windows(pooling, 1, 15, 7, z.row(w).data());
            EXPECT_TRUE(std::ranges::equal(alone.values, all.row(w))) << pooling.name;
        }
    }
}

TEST(Pooling, OneTokenHasNoDeviation) {
    const std::vector<float> token = {5, -3};
    EXPECT_EQ(pool_windows(pooling_named("mean+std+max"), 1, 1, 2, token.data()).values,
              (std::vector<float>{5, -3, 0, 0, 5, -3}));
}

TEST(Pooling, SaysWhichNamesThereAre) {
    test::expect_input_error([] { pooling_named("mean+sdt"); }, {"mean+sdt", "did you mean mean+std?"});
    test::expect_input_error([] { pool_windows(pooling_named("std"), 1, 0, 4, nullptr); }, {"0 tokens"});
}

}  // namespace
}  // namespace cmr::score
