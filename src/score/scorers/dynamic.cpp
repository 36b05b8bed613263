// Two scores on one linear mechanism with memory: the mean square of its white residuals, and how far their mean over a
// window is from where it lies in healthy windows (T²), which sees what is small and lasts.

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

class DriftScorer : public Scorer {
  public:
    DriftScorer(Dynamic ridge, Eigen::VectorXd mean, Eigen::MatrixXd whitening)
        : ridge_(std::move(ridge)), mean_(std::move(mean)), whitening_(std::move(whitening)) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = ridge_->mean(windows.causes, windows.effects);
        for (int64_t i = 0; i < parts.rows; ++i) {
            Eigen::Map<Eigen::RowVectorXf> row(parts.row(i).data(), parts.columns);
            const Eigen::RowVectorXd off = row.cast<double>() - mean_.transpose();
            row = linear::product(off, whitening_).cwiseAbs2().cast<float>();
        }
        return {mean_of_rows(parts), std::move(parts)};
    }
    void save(Archive& to) const override {
        put(to, *ridge_);
        to.put("mean", mean_);
        to.put("whitening", whitening_);
    }

  private:
    Dynamic ridge_;
    Eigen::VectorXd mean_;       // of the residuals' mean over a window
    Eigen::MatrixXd whitening_;  // symmetric, so that each part stays with its effect
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
