#include "linear/ridge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/parallel.h"
#include "linear/float_precision.h"
#include "linear/products.h"
#include "linear/symmetric.h"

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
        const SymmetricEigen eigen = symmetric_eigen(sums.xx / sums.rows);
        values = eigen.values.cwiseMax(0.0);
        vectors = eigen.vectors;
        across = product(vectors.transpose(), sums.xy);
        across /= sums.rows;
    }
    VectorXd shrink(double penalty) const { return (values.array() + penalty).inverse(); }
    MatrixXd weights(double penalty) const { return product(MatrixXd(vectors * shrink(penalty).asDiagonal()), across); }

    // Squared error on other rows, per penalty: Σ|y|² - 2 dᵀ c + dᵀ M d with d = shrink.
    VectorXd errors(RidgeSums test, const std::vector<double>& grid) const {
        test.move_origin(input_mean, output_mean);
        const VectorXd c = product(vectors.transpose(), test.xy).cwiseProduct(across).rowwise().sum();
        MatrixXd m = MatrixXd::Zero(values.size(), values.size());
        add_square(across, m);
        m.array() *= product(vectors.transpose(), product(test.xx, vectors)).array();
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
        const MatrixXd half = product(test.xx, w);
        return test.yy + w.cwiseProduct(half - 2 * test.xy).colwise().sum().transpose();
    }
};

// All penalties tried on blocks that were left out.
class Trial {
  public:
    Trial(std::vector<RidgeSums> blocks, Penalty choice) : blocks_(std::move(blocks)) {
        std::erase_if(blocks_, [](const RidgeSums& block) { return block.rows == 0; });
        if (blocks_.size() < 2)
            throw InputError("linear mechanism: {} block(s) of healthy data, expected at least two", blocks_.size());
        all_ = blocks_.front();
        for (size_t i = 1; i < blocks_.size(); ++i) all_ += blocks_[i];
        // Blocks are independent of each other; what they found is added in their order.
        const auto count = std::ssize(blocks_);
        const std::vector<double> grid = penalties();
        std::vector<VectorXd> errors(count, VectorXd::Zero(std::ssize(grid)));
        without_.resize(count);
        parallel_for(count, [&](int64_t b) {
            RidgeSums rest = all_;
            rest -= blocks_[b];
            without_[b].emplace(std::move(rest));
            if (choice == Penalty::kLeftOut) {
                errors[b] = without_[b]->errors(blocks_[b], grid);
            } else if (b > 0) {
                RidgeSums before = blocks_[0];
                for (int64_t i = 1; i < b; ++i) before += blocks_[i];
                errors[b] = Path(std::move(before)).errors(blocks_[b], grid);
            }
        });
        errors_ = errors[0];
        for (int64_t b = 1; b < count; ++b) errors_ += errors[b];
    }

    const VectorXd& errors() const { return errors_; }  // per penalty

    Ridge finish(double penalty) const {
        const auto count = std::ssize(blocks_);
        Ridge out;
        out.penalty = penalty;
        std::vector<VectorXd> squares(count);
        parallel_for(count, [&](int64_t b) { squares[b] = without_[b]->errors_of_outputs(blocks_[b], penalty); });
        for (int64_t b = 1; b < count; ++b) squares[0] += squares[b];
        out.deviation = (squares[0] / all_.rows).cwiseMax(kLeastDeviation * kLeastDeviation).cwiseSqrt();
        const Path path(all_);
        out.input_mean = to_float_precision(path.input_mean);
        out.output_mean = to_float_precision(path.output_mean);
        out.weights = to_float_precision(path.weights(penalty));
        out.deviation = to_float_precision(out.deviation);
        return out;
    }

  private:
    std::vector<RidgeSums> blocks_;
    RidgeSums all_;
    std::vector<std::optional<Path>> without_;  // fitted on the other blocks
    VectorXd errors_;
};

double best_penalty(const VectorXd& errors) {
    Eigen::Index best = 0;
    errors.minCoeff(&best);
    return penalties()[best];
}

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
    add_square(inputs.transpose(), xx);
    add_product(inputs.transpose(), outputs, xy);
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
    const VectorXd beside = rows * x0 - x;
    for (int64_t j = 0; j < xx.cols(); ++j) xx.col(j) += beside * x0(j) - x0 * x(j);
    for (int64_t j = 0; j < xy.cols(); ++j) xy.col(j) += beside * y0(j) - x0 * y(j);
    yy.array() += rows * y0.array().square() - 2 * y.array() * y0.array();
    x -= rows * x0;
    y -= rows * y0;
}

Ridge fit_ridge(const std::vector<RidgeSums>& blocks, Penalty choice) {
    const Trial trial(blocks, choice);
    return trial.finish(best_penalty(trial.errors()));
}

Ridge fit_ridge(int64_t outputs, int64_t at_once, const SumsOfSome& sums, Penalty choice) {
    if (outputs <= at_once) return fit_ridge(sums(0, outputs), choice);
    VectorXd errors = VectorXd::Zero(std::ssize(penalties()));
    for (int64_t first = 0; first < outputs; first += at_once)
        errors += Trial(sums(first, std::min(at_once, outputs - first)), choice).errors();
    const double penalty = best_penalty(errors);
    Ridge out;
    for (int64_t first = 0; first < outputs; first += at_once) {
        const int64_t count = std::min(at_once, outputs - first);
        const Ridge some = Trial(sums(first, count), choice).finish(penalty);
        if (first == 0) {
            out = {some.input_mean, VectorXd(outputs), MatrixXd(some.weights.rows(), outputs), VectorXd(outputs),
                   penalty};
        }
        out.output_mean.segment(first, count) = some.output_mean;
        out.weights.middleCols(first, count) = some.weights;
        out.deviation.segment(first, count) = some.deviation;
    }
    return out;
}

}  // namespace cmr::linear
