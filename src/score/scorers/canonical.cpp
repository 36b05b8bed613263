#include "linear/lagged_vectors.h"
#include "score/scorers/lags.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

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
    const int64_t lags = lags_of_all(healthy);
    return std::make_unique<CanonicalScorer>(linear::fit_canonical_residual(samples_of_all(healthy), lags), lags);
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
