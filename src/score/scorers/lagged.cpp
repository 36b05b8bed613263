#include "linear/mechanism.h"
#include "score/ridge_archive.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class LaggedScorer : public Scorer {
  public:
    explicit LaggedScorer(linear::LaggedRidge ridge) : ridge_(std::move(ridge)) {}

    Matrix by_channel(const Features& windows) const override { return ridge_.score(windows.causes, windows.effects); }
    std::vector<float> score(const Features& windows) const override { return mean_of_rows(by_channel(windows)); }
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
    return std::make_unique<LaggedScorer>(linear::LaggedRidge(healthy.dataset, healthy.prepared.scaler,
                                                              data::covered(healthy.windows, length),
                                                              healthy.prepared.causes, healthy.prepared.effects, lags));
}

std::unique_ptr<Scorer> load_lagged(const Archive& from) {
    linear::Ridge ridge = ridge_of(from);
    const auto lags = static_cast<int64_t>(from.number("lags"));
    const int64_t inputs = ridge.input_mean.size(), effects = ridge.output_mean.size();
    return std::make_unique<LaggedScorer>(linear::LaggedRidge(std::move(ridge), inputs / (lags + 1), effects, lags));
}

}  // namespace cmr::score
