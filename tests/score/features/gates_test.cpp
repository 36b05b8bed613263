#include "score/features/gates.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace cmr::score {
namespace {

constexpr int64_t kRows = 60, kLength = 16;

// What is left of two effects: noise, and of the second a part that `known` of it is foretold.
struct Left {
    Matrix linear = Matrix(kRows, 2 * kLength), network = Matrix(kRows, 2 * kLength);
};

Left left_of(double known, double noise_of_network, uint64_t seed) {
    Left out;
    Rng rng(seed);
    for (int64_t i = 0; i < kRows; ++i)
        for (int64_t t = 0; t < 2 * kLength; ++t) {
            const double noise = rng.normal(), hidden = t < kLength ? 0 : rng.normal(), wrong = rng.normal();
            out.linear.row(i)[t] = static_cast<float>(noise + hidden);
            out.network.row(i)[t] = static_cast<float>(noise + (1 - known) * hidden + noise_of_network * wrong);
        }
    return out;
}

double energy(const MatrixView& x) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows; ++i)
        for (const float value : x.row(i)) sum += double{value} * value;
    return sum;
}

double energy_with(const Gates& gates, const Left& left) {
    Matrix blended = left.linear;
    for (int64_t i = 0; i < kRows; ++i)
        for (int64_t c = 0; c < 2; ++c)
            blend(gates[c], left.network.row(i).subspan(c * kLength, kLength), 0,
                  blended.row(i).subspan(c * kLength, kLength));
    return energy(blended);
}

TEST(Gates, OpenWhereTheNetworkForetellsMore) {
    const Left left = left_of(0.8, 0.1, 1);
    const Gates gates = fit_gates(left.linear, left.network, 2, 0);
    EXPECT_LT(gates[0].open, 0.2) << "only noise is added there";
    EXPECT_GT(gates[1].open, 0.8);
    EXPECT_NEAR(gates[1].left, 0.55, 0.1);  // of noise and hidden, half of the variance each, most of one is left
    EXPECT_TRUE(any_open(gates));
    EXPECT_NEAR(energy_with(gates, left) / energy(left.linear), (gates[0].left + 2 * gates[1].left) / 3, 0.02);
}

TEST(Gates, StayClosedWhereItDoesNot) {
    for (const uint64_t seed : {1, 2, 3, 4, 5}) {
        const Left left = left_of(0, 1, seed);
        const Gates gates = fit_gates(left.linear, left.network, 2, 0);
        // With windows that were not asked it is not worse either.
        const Left other = left_of(0, 1, seed + 50);
        EXPECT_LE(energy_with(gates, other), 1.001 * energy(other.linear)) << seed;
        for (const Gate& gate : gates) EXPECT_LT(gate.open, 0.05) << seed;
    }
}

// In one half it helps and in the other it harms: chance, or drift.
TEST(Gates, StayClosedWhereOneHalfContradictsTheOther) {
    Left left = left_of(0.9, 0, 1);
    for (int64_t i = kRows / 2; i < kRows; ++i)
        for (int64_t t = 0; t < 2 * kLength; ++t)
            left.network.row(i)[t] = 2 * left.linear.row(i)[t] - left.network.row(i)[t];
    for (const Gate& gate : fit_gates(left.linear, left.network, 2, 0)) {
        EXPECT_EQ(gate.open, 0);
        EXPECT_EQ(gate.left, 1);
    }
}

// Each half alone would open it, but by what the other could not live with.
TEST(Gates, StayClosedWhereTheHalvesDoNotAgreeHowFar) {
    Left left = left_of(0.9, 0, 1);
    for (int64_t i = 0; i < kRows; ++i)
        for (int64_t t = 0; t < 2 * kLength; ++t)
            left.network.row(i)[t] = (i < kRows / 2 ? 0.1f : -9.0f) * left.linear.row(i)[t];
    for (const Gate& gate : fit_gates(left.linear, left.network, 2, 0)) EXPECT_EQ(gate.open, 0);
}

TEST(Gates, LeaveAloneWhatIsNotForetold) {
    Left left = left_of(0.8, 0.1, 1);
    for (int64_t i = 0; i < kRows; ++i)
        for (const int64_t t : {0, 1, 16, 17}) left.network.row(i)[t] = 1e6f;
    const Gates gates = fit_gates(left.linear, left.network, 2, 2);
    EXPECT_GT(gates[1].open, 0.8);
    Matrix row(1, kLength);
    std::ranges::copy(left.linear.row(0).subspan(kLength), row.values.begin());
    const std::vector<float> before = row.values;
    blend(gates[1], left.network.row(0).subspan(kLength), 2, row.row(0));
    EXPECT_EQ(row.values[0], before[0]);
    EXPECT_EQ(row.values[1], before[1]);
    EXPECT_NE(row.values[2], before[2]);
}

TEST(Gates, ThatAreClosedChangeNoBit) {
    const Left left = left_of(0.8, 0.1, 1);
    Matrix row(1, kLength);
    std::ranges::copy(left.linear.row(0).subspan(0, kLength), row.values.begin());
    const std::vector<float> before = row.values;
    blend({}, left.network.row(0).subspan(0, kLength), 0, row.row(0));
    EXPECT_EQ(row.values, before);
}

}  // namespace
}  // namespace cmr::score
