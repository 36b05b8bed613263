#pragma once
// Ridge regression of many outputs on many inputs, from sums alone, its penalty chosen by cross-validation over
// contiguous blocks of healthy data. All in double and in closed form.

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace cmr::linear {

// Sums over the rows of a block: x [inputs], y [outputs]. Inputs should be z-scored, so that means are small beside
// deviations and centring loses no digits.
struct RidgeSums {
    double rows = 0;
    Eigen::VectorXd x, y, yy;  // Σ x, Σ y, Σ y²
    Eigen::MatrixXd xx, xy;    // Σ x xᵀ, Σ x yᵀ

    RidgeSums() = default;
    RidgeSums(int64_t inputs, int64_t outputs);

    void add(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& outputs);  // [rows, …]
    RidgeSums& operator+=(const RidgeSums& more);
    RidgeSums& operator-=(const RidgeSums& less);
    void move_origin(const Eigen::VectorXd& x0, const Eigen::VectorXd& y0);  // as if x - x0 and y - y0 had been added
};

struct Ridge {
    Eigen::VectorXd input_mean, output_mean;
    Eigen::MatrixXd weights;    // [inputs, outputs]; y ≈ output_mean + weightsᵀ (x - input_mean)
    Eigen::VectorXd deviation;  // [outputs], root mean square of the residual on blocks that were not fitted on
    double penalty = 0;         // per row
};

// Of a fixed grid, the penalty with the least squared error on blocks that were not fitted on:
enum class Penalty {
    kLeftOut,  // each block from all others
    kForward,  // each block from those before it: as a detector, fitted on the past, will meet what comes
};

// Minimises Σ |y - W x|² + rows · penalty · |W|². Residuals of the fit itself would flatter outputs that it bends to
// most; those of blocks left out in turn do not, so they give the deviation. All numbers are rounded to float, as files
// keep them.
Ridge fit_ridge(const std::vector<RidgeSums>& blocks, Penalty choice = Penalty::kLeftOut);
// The same where the sums of all outputs would take too much memory. sums(first, count): of some outputs at a time, at
// most `at_once`; called twice for each where there are more than that.
using SumsOfSome = std::function<std::vector<RidgeSums>(int64_t first, int64_t count)>;
Ridge fit_ridge(int64_t outputs, int64_t at_once, const SumsOfSome& sums, Penalty choice);

// Row of `count` in which block: contiguous, of equal size.
inline constexpr int64_t kRidgeBlocks = 5;
inline int64_t first_row_of_block(int64_t block, int64_t count) { return block * count / kRidgeBlocks; }

// A residual is never held to be more certain than this share of the healthy deviation of its channel: where causes
// explain an effect to the last bit, rounding would be a fault.
inline constexpr double kLeastDeviation = 1e-3;

}  // namespace cmr::linear
