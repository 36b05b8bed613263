#include "linear/ridge.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "linear/float_precision.h"

namespace cmr::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// 10^-7, 10^-6.5 … 10^2, per row of z-scored inputs: from none at all to almost nothing left of the weights.
std::vector<double> penalties() {
    std::vector<double> out;
    for (int half_decade = -14; half_decade <= 4; ++half_decade) out.push_back(std::pow(10.0, half_decade / 2.0));
    return out;
}

// The weights for every penalty at once: with Σ x xᵀ / rows = V E Vᵀ, W = V (E + penalty)⁻¹ Vᵀ (Σ x yᵀ / rows).
struct Path {
    VectorXd input_mean, output_mean;
    VectorXd values;   // E
    MatrixXd vectors;  // V
    MatrixXd across;   // Vᵀ Σ x yᵀ / rows

    explicit Path(RidgeSums sums) : input_mean(sums.x / sums.rows), output_mean(sums.y / sums.rows) {
        sums.move_origin(input_mean, output_mean);
        const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(sums.xx / sums.rows);
        values = eigen.eigenvalues().cwiseMax(0.0);
        vectors = eigen.eigenvectors();
        across = vectors.transpose() * sums.xy / sums.rows;
    }
    VectorXd shrink(double penalty) const { return (values.array() + penalty).inverse(); }
    MatrixXd weights(double penalty) const { return vectors * shrink(penalty).asDiagonal() * across; }

    // Squared error on other rows, per penalty: Σ|y|² - 2 dᵀ c + dᵀ M d with d = shrink.
    VectorXd errors(RidgeSums test, const std::vector<double>& grid) const {
        test.move_origin(input_mean, output_mean);
        const VectorXd c = (vectors.transpose() * test.xy).cwiseProduct(across).rowwise().sum();
        const MatrixXd m = (vectors.transpose() * test.xx * vectors).cwiseProduct(across * across.transpose());
        VectorXd out(static_cast<int64_t>(grid.size()));
        for (int64_t i = 0; i < out.size(); ++i) {
            const VectorXd d = shrink(grid[i]);
            out(i) = test.yy.sum() - 2 * c.dot(d) + d.dot(m * d);
        }
        return out;
    }
    // Squared error on other rows, per output.
    VectorXd errors_of_outputs(RidgeSums test, double penalty) const {
        test.move_origin(input_mean, output_mean);
        const MatrixXd w = weights(penalty);
        const MatrixXd half = test.xx * w - 2 * test.xy;
        return test.yy + w.cwiseProduct(half).colwise().sum().transpose();
    }
};

}  // namespace

RidgeSums::RidgeSums(int64_t inputs, int64_t outputs)
    : x(VectorXd::Zero(inputs)),
      y(VectorXd::Zero(outputs)),
      yy(VectorXd::Zero(outputs)),
      xx(MatrixXd::Zero(inputs, inputs)),
      xy(MatrixXd::Zero(inputs, outputs)) {}

void RidgeSums::add(const MatrixXd& inputs, const MatrixXd& outputs) {
    rows += static_cast<double>(inputs.rows());
    x += inputs.colwise().sum().transpose();
    y += outputs.colwise().sum().transpose();
    yy += outputs.colwise().squaredNorm().transpose();
    xx.noalias() += inputs.transpose() * inputs;
    xy.noalias() += inputs.transpose() * outputs;
}

RidgeSums& RidgeSums::operator+=(const RidgeSums& more) {
    rows += more.rows;
    x += more.x, y += more.y, yy += more.yy, xx += more.xx, xy += more.xy;
    return *this;
}

RidgeSums& RidgeSums::operator-=(const RidgeSums& less) {
    rows -= less.rows;
    x -= less.x, y -= less.y, yy -= less.yy, xx -= less.xx, xy -= less.xy;
    return *this;
}

void RidgeSums::move_origin(const VectorXd& x0, const VectorXd& y0) {
    // Σ (x - x0)(y - y0)ᵀ = Σ x yᵀ - Σx y0ᵀ - x0 Σyᵀ + rows x0 y0ᵀ
    xx += rows * x0 * x0.transpose() - x * x0.transpose() - x0 * x.transpose();
    xy += rows * x0 * y0.transpose() - x * y0.transpose() - x0 * y.transpose();
    yy.array() += rows * y0.array().square() - 2 * y.array() * y0.array();
    x -= rows * x0;
    y -= rows * y0;
}

Ridge fit_ridge(const std::vector<RidgeSums>& blocks, Penalty choice) {
    RidgeSums all;
    int64_t filled = 0;
    for (const RidgeSums& block : blocks) {
        if (block.rows == 0) continue;
        if (++filled == 1)
            all = block;
        else
            all += block;
    }
    if (filled < 2) throw InputError("linear mechanism: {} block(s) of healthy data, expected at least two", filled);

    const std::vector<double> grid = penalties();
    std::vector<Path> paths;
    std::vector<const RidgeSums*> left_out;
    VectorXd errors = VectorXd::Zero(static_cast<int64_t>(grid.size()));
    RidgeSums before(all.x.size(), all.y.size());
    for (const RidgeSums& block : blocks) {
        if (block.rows == 0) continue;
        RidgeSums rest = all;
        rest -= block;
        paths.emplace_back(std::move(rest));
        left_out.push_back(&block);
        if (choice == Penalty::kLeftOut)
            errors += paths.back().errors(block, grid);
        else if (before.rows > 0)
            errors += Path(before).errors(block, grid);
        before += block;
    }
    Eigen::Index best = 0;
    errors.minCoeff(&best);

    Ridge out;
    out.penalty = grid[best];
    VectorXd squares = VectorXd::Zero(all.y.size());
    for (size_t i = 0; i < paths.size(); ++i) squares += paths[i].errors_of_outputs(*left_out[i], out.penalty);
    out.deviation = (squares / all.rows).cwiseMax(kLeastDeviation * kLeastDeviation).cwiseSqrt();
    const Path path(std::move(all));
    out.input_mean = to_float_precision(path.input_mean);
    out.output_mean = to_float_precision(path.output_mean);
    out.weights = to_float_precision(path.weights(out.penalty));
    out.deviation = to_float_precision(out.deviation);
    return out;
}

}  // namespace cmr::linear
