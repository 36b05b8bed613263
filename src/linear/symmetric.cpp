#include "linear/symmetric.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::kRotatedRows;
using kernels::Rotation;

constexpr size_t kRotationsAtOnce = 1 << 16;
constexpr int64_t kStepsPerValue = 40;  // two or three are usual

// Of all rows, a strip at a time.
void rotate(const std::vector<Rotation>& rotations, MatrixXd& vectors) {
    const int64_t rows = vectors.rows(), columns = vectors.cols();
    parallel_for((rows + kRotatedRows - 1) / kRotatedRows, [&](int64_t task) {
        const int64_t first = task * kRotatedRows, count = std::min(kRotatedRows, rows - first);
        MatrixXd strip = MatrixXd::Zero(kRotatedRows, columns);
        strip.topRows(count) = vectors.middleRows(first, count);
        kernels::kernels().rotate(std::ssize(rotations), rotations.data(), strip.data());
        vectors.middleRows(first, count) = strip.topRows(count);
    });
}

// A symmetric matrix with nothing but its diagonal and, on either side of that, the off-diagonal.
struct Tridiagonal {
    VectorXd diagonal, off_diagonal;

    bool is_small(int64_t i) const {
        constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
        return std::abs(off_diagonal(i)) <= kEpsilon * (std::abs(diagonal(i)) + std::abs(diagonal(i + 1)));
    }

    // The eigenvalue of the last two rows of a block that is nearer to the last.
    double shift(int64_t last) const {
        const double half = (diagonal(last - 1) - diagonal(last)) / 2, b = off_diagonal(last - 1);
        return diagonal(last) - b * (b / (half + std::copysign(std::hypot(half, b), half)));
    }

    // One step on the block first … last. A rotation makes a bulge outside the three diagonals, the next ones chase it
    // down and out.
    void step(int64_t first, int64_t last, std::vector<Rotation>& rotations) {
        double x = diagonal(first) - shift(last), bulge = off_diagonal(first);
        for (int64_t k = first; k < last; ++k) {
            const double r = std::hypot(x, bulge);
            if (k > first) off_diagonal(k - 1) = r;
            if (r == 0) return;
            const double c = x / r, s = -bulge / r;
            const double a = diagonal(k), b = off_diagonal(k), d = diagonal(k + 1);
            diagonal(k) = c * (c * a - s * b) - s * (c * b - s * d);
            diagonal(k + 1) = s * (s * a + c * b) + c * (s * b + c * d);
            off_diagonal(k) = c * (s * a + c * b) - s * (s * b + c * d);
            if (k + 1 < last) {
                x = off_diagonal(k);
                bulge = -s * off_diagonal(k + 1);
                off_diagonal(k + 1) *= c;
            }
            rotations.push_back({k, c, s});
        }
    }
};

// vectors times what makes it diagonal.
void make_diagonal(Tridiagonal& of, MatrixXd& vectors) {
    std::vector<Rotation> rotations;
    int64_t steps = 0;
    for (int64_t last = of.off_diagonal.size(); last > 0;) {
        if (of.is_small(last - 1)) {
            of.off_diagonal(--last) = 0;
            continue;
        }
        int64_t first = last - 1;
        while (first > 0 && !of.is_small(first - 1)) --first;
        CMR_ASSERT(++steps <= kStepsPerValue * of.diagonal.size(), "QR steps converge");
        of.step(first, last, rotations);
        if (rotations.size() < kRotationsAtOnce) continue;
        rotate(rotations, vectors);
        rotations.clear();
    }
    rotate(rotations, vectors);
}

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& matrix) {
    const int64_t side = matrix.rows();
    CMR_ASSERT(matrix.cols() == side, "a symmetric matrix");
    if (side == 0) return {};
    // Squares of its numbers are neither too large nor too small.
    const double largest = matrix.cwiseAbs().maxCoeff(), scale = largest > 0 ? largest : 1;
    CMR_ASSERT(std::isfinite(largest), "finite numbers");
    const Eigen::Tridiagonalization<MatrixXd> reflected(matrix / scale);
    Tridiagonal inside{reflected.diagonal(), reflected.subDiagonal()};
    MatrixXd vectors = reflected.matrixQ();
    make_diagonal(inside, vectors);

    std::vector<int64_t> order(side);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int64_t i) { return inside.diagonal(i); });
    return {scale * inside.diagonal(order), vectors(Eigen::all, order)};
}

}  // namespace cmr::linear
