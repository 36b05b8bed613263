// Two scores on one linear mechanism with memory: the mean square of its white residuals, and how far their mean over a
// window is from where it lies in healthy windows (T²), which sees what is small and lasts.

#include <algorithm>

#include "linear/covariance.h"
#include "linear/dynamic_ridge.h"
#include "linear/float_precision.h"
#include "linear/products.h"
#include "score/file/dynamic_archive.h"
#include "score/scorers/lags.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

using Dynamic = std::shared_ptr<const linear::DynamicRidge>;

constexpr const char* kRidge = "with-memory";  // beside both scores in a file, once

Dynamic fitted(const Healthy& healthy) {
    if (!healthy.dynamic)
        healthy.dynamic = std::make_shared<const linear::DynamicRidge>(
            healthy.dataset, healthy.preprocessing.scaler, data::covered(healthy.windows, healthy.recipe.window.length),
            healthy.preprocessing.causes, healthy.preprocessing.effects, lags_of_all(healthy));
    return healthy.dynamic;
}

Dynamic loaded(const Archive& from, const Setting& setting) {
    return std::make_shared<const linear::DynamicRidge>(
        dynamic_ridge_of(from.sibling(kRidge), setting.causes(), setting.effects(), setting.length()));
}

void put(Archive& to, const linear::DynamicRidge& ridge) {
    Archive shared = to.sibling(kRidge);
    if (!shared.has("weights")) put_dynamic_ridge(shared, ridge);
}

class DynamicScorer : public Scorer {
  public:
    explicit DynamicScorer(Dynamic ridge) : ridge_(std::move(ridge)) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = ridge_->score(windows.causes, windows.effects);
        return {mean_of_rows(parts), std::move(parts)};
    }
    const linear::DynamicRidge* memory() const override { return ridge_.get(); }
    void save(Archive& to) const override { put(to, *ridge_); }

  private:
    Dynamic ridge_;
};

// What a window's mean residual tells of single effects. An effect is foretold from the past of all others, so one that
// is off is off in many residuals; its part is how much of the T² it alone can be the reason of (reconstruction-based
// contribution, Alcala and Qin 2009), by its own equation or by its sensor. The one that is the reason of most comes
// first, and the others get what they tell of the rest: they would echo it otherwise.
class Blame {
  public:
    Blame() = default;
    explicit Blame(const linear::DynamicRidge::Shifts& shifts, const Eigen::MatrixXd& whitening) {
        const Eigen::MatrixXd equation = linear::product(shifts.equation, whitening),
                              sensor = linear::product(shifts.sensor, whitening);
        for (int64_t c = 0; c < equation.rows(); ++c) {
            Eigen::MatrixXd both(equation.cols(), 2);
            both << equation.row(c).transpose(), sensor.row(c).transpose();
            reasons_.push_back(upright(both));
        }
    }

    // white: a window's mean residual → of each effect.
    Eigen::VectorXd operator()(Eigen::VectorXd white) const {
        Eigen::VectorXd out(std::ssize(reasons_));
        for (size_t c = 0; c < reasons_.size(); ++c) out(c) = (reasons_[c].transpose() * white).squaredNorm();
        int64_t first = 0;
        const double most = out.maxCoeff(&first);
        const Eigen::MatrixXd& reason = reasons_[first];
        white -= reason * (reason.transpose() * white);
        for (size_t c = 0; c < reasons_.size(); ++c) {
            const Eigen::MatrixXd own = upright(reasons_[c] - reason * (reason.transpose() * reasons_[c]));
            out(c) = (own.transpose() * white).squaredNorm();
        }
        out(first) = most;
        return out;
    }

  private:
    // Orthonormal columns of the same plane; one that is nearly the other, or nothing, is left out as zeros.
    static Eigen::MatrixXd upright(Eigen::MatrixXd columns) {
        constexpr double kNothing = 1e-9;
        for (int64_t i = 0; i < columns.cols(); ++i) {
            const double before = columns.col(i).norm();
            for (int64_t k = 0; k < i; ++k) columns.col(i) -= columns.col(k) * columns.col(k).dot(columns.col(i));
            const double length = columns.col(i).norm();
            if (length > kNothing && length > 1e-3 * before)
                columns.col(i) /= length;
            else
                columns.col(i).setZero();
        }
        return columns;
    }

    std::vector<Eigen::MatrixXd> reasons_;  // of each effect: directions [effects, 2]
};

class DriftScorer : public Scorer {
  public:
    DriftScorer(Dynamic ridge, Eigen::VectorXd mean, Eigen::MatrixXd whitening)
        : ridge_(std::move(ridge)),
          mean_(std::move(mean)),
          whitening_(std::move(whitening)),
          blame_(ridge_->shifts(), whitening_) {}

    Judged judge(const Features& windows) const override {
        Matrix squares = ridge_->mean(windows.causes, windows.effects), parts(squares.rows, squares.columns);
        for (int64_t i = 0; i < squares.rows; ++i) {
            Eigen::Map<Eigen::RowVectorXf> row(squares.row(i).data(), squares.columns);
            const Eigen::RowVectorXd off = row.cast<double>() - mean_.transpose();
            const Eigen::RowVectorXd white = linear::product(off, whitening_);
            row = white.cwiseAbs2().cast<float>();
            const Eigen::VectorXd blamed = blame_(white.transpose());
            std::ranges::copy(blamed, parts.row(i).begin());
        }
        return {mean_of_rows(squares), std::move(parts)};
    }
    void save(Archive& to) const override {
        put(to, *ridge_);
        to.put("mean", mean_);
        to.put("whitening", whitening_);
    }

  private:
    Dynamic ridge_;
    Eigen::VectorXd mean_;       // of the residuals' mean over a window
    Eigen::MatrixXd whitening_;  // of those
    Blame blame_;
};

}  // namespace

std::unique_ptr<Scorer> fit_dynamic(const Healthy& healthy) { return std::make_unique<DynamicScorer>(fitted(healthy)); }
std::unique_ptr<Scorer> load_dynamic(const Archive& from, const Setting& setting) {
    return std::make_unique<DynamicScorer>(loaded(from, setting));
}

std::unique_ptr<Scorer> fit_drift(const Healthy& healthy) {
    const Dynamic ridge = fitted(healthy);
    const Matrix means = ridge->mean(healthy.features.causes, healthy.features.effects);
    const Eigen::VectorXd mean = linear::mean_row(means);
    const Eigen::MatrixXd centred = linear::centred_rows(means, 0, means.rows, mean);
    const auto rows = static_cast<double>(means.rows);
    const Eigen::MatrixXd covariance = linear::product(centred.transpose(), centred) / rows;
    return std::make_unique<DriftScorer>(
        ridge, linear::to_float_precision(mean),
        linear::to_float_precision(linear::inverse_root(linear::shrunk(covariance, rows))));
}
std::unique_ptr<Scorer> load_drift(const Archive& from, const Setting& setting) {
    Eigen::VectorXd mean = from.vector("mean");
    Eigen::MatrixXd whitening = from.doubles("whitening");
    const int64_t effects = setting.effects();
    from.require(mean.size() == effects && whitening.rows() == effects && whitening.cols() == effects,
                 "its mean and whitening do not fit its effects");
    return std::make_unique<DriftScorer>(loaded(from, setting), std::move(mean), std::move(whitening));
}

}  // namespace cmr::score
