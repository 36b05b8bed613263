#include "linear/lagged_vectors.h"
#include "score/scorers/lags.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

// With the future, of what counts as a state. With 0.3, 0.5, 0.7, 0.9 the residual statistic has, in NumPy: BATADAL's
// dataset04 0.876, 0.877, 0.878, 0.878, its test 0.895, 0.894, 0.895, 0.895, TEP 0.937, 0.935, 0.934, 0.934, SKAB
// 0.860, 0.872, 0.889, 0.888. A half stands for no set; it is where a direction tells a quarter of the future's
// variance.
constexpr double kState = 0.5;

class CanonicalScorer : public Scorer {
  public:
    CanonicalScorer(linear::CanonicalResidual fitted, int64_t lags) : fitted_(std::move(fitted)), lags_(lags) {}

    Judged judge(const Features& windows) const override {
        return {linear::canonical_t_squared(fitted_, joined_samples(windows), lags_), {}};
    }
    void save(Archive& to) const override {
        to.put("mean", fitted_.mean);
        to.put("directions", fitted_.directions);
        to.put("lags", static_cast<double>(lags_));
    }

  private:
    linear::CanonicalResidual fitted_;
    int64_t lags_;
};

}  // namespace

std::unique_ptr<Scorer> fit_canonical(const Healthy& healthy) {
    const auto stretches = data::covered(healthy.windows, healthy.recipe.window.length);
    const int64_t lags = lags_of_all(healthy);
    return std::make_unique<CanonicalScorer>(
        linear::fit_canonical_residual({healthy.dataset, healthy.preprocessing.scaler, stretches,
                                        healthy.preprocessing.causes, healthy.preprocessing.effects},
                                       lags, kState),
        lags);
}

std::unique_ptr<Scorer> load_canonical(const Archive& from, const Setting& setting) {
    const int64_t lags = from.whole("lags", 0, setting.length() - 1);
    const int64_t side = (setting.causes() + setting.effects()) * (lags + 1);
    linear::CanonicalResidual fitted{from.vector("mean"), from.doubles("directions")};
    from.require(fitted.mean.size() == side && fitted.directions.rows() == side && fitted.directions.cols() == side,
                 "its directions are not those of lagged channels");
    return std::make_unique<CanonicalScorer>(std::move(fitted), lags);
}

}  // namespace cmr::score
