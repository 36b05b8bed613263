#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "kernels/every_isa.h"
#include "kernels/kernels.h"

namespace cmr::kernels {
namespace {

Rotation by(int64_t column, double angle) { return {column, std::cos(angle), std::sin(angle)}; }

TEST_P(EveryIsa, RotationsMatchThePlainOnesWhereverTheyGo) {
    const std::vector<std::vector<int64_t>> walks = {
        {}, {0}, {0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 2, 2}, {0, 1, 2, 1, 2, 3, 0, 4}, {3, 4, 0, 1}};
    for (const std::vector<int64_t>& walk : walks) {
        Rng rng(1);
        std::vector<double> strip(6 * kRotatedRows);
        for (double& value : strip) value = rng.normal();
        std::vector<double> wanted = strip;
        std::vector<Rotation> rotations;
        for (const int64_t column : walk) rotations.push_back(by(column, rng.normal()));
        for (const Rotation& r : rotations)
            for (int64_t row = 0; row < kRotatedRows; ++row) {
                double &a = wanted[r.column * kRotatedRows + row], &b = wanted[(r.column + 1) * kRotatedRows + row];
                const double before = a;
                a = r.c * before - r.s * b;
                b = r.s * before + r.c * b;
            }
        kernels().rotate(std::ssize(rotations), rotations.data(), strip.data());
        for (size_t i = 0; i < strip.size(); ++i) ASSERT_NEAR(strip[i], wanted[i], 1e-14) << walk.size() << " at " << i;
    }
}

}  // namespace
}  // namespace cmr::kernels
