#include "linear/mechanism.h"
#include "score/file/ridge_archive.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class LaggedScorer : public Scorer {
  public:
    explicit LaggedScorer(linear::LaggedRidge ridge) : ridge_(std::move(ridge)) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = ridge_.score(windows.causes, windows.effects);
        return {mean_of_rows(parts), std::move(parts)};
    }
    const linear::LaggedRidge* mechanism() const override { return &ridge_; }
    void save(Archive& to) const override {
        put_ridge(to, ridge_.ridge());
        to.put("lags", static_cast<double>(ridge_.lags()));
    }

  private:
    linear::LaggedRidge ridge_;
};

}  // namespace

std::unique_ptr<Scorer> fit_lagged(const Healthy& healthy) {
    const int64_t length = healthy.recipe.window.length;
    const int64_t lags = std::min(healthy.recipe.score.lags, length - 1);
    return std::make_unique<LaggedScorer>(
        linear::LaggedRidge(healthy.dataset, healthy.preprocessing.scaler, data::covered(healthy.windows, length),
                            healthy.preprocessing.causes, healthy.preprocessing.effects, lags));
}

std::unique_ptr<Scorer> load_lagged(const Archive& from, const Setting& setting) {
    return std::make_unique<LaggedScorer>(lagged_ridge_of(from, setting.causes(), setting.effects(), setting.length()));
}

}  // namespace cmr::score
