#include "score/features/marginal.h"

#include "linear/float_precision.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class MarginalScorer : public Scorer {
  public:
    explicit MarginalScorer(Levels levels) : levels_(std::move(levels)) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = marginal_deviations(windows.effects, levels_);
        return {max_of_rows(parts), std::move(parts)};
    }
    void save(Archive& to) const override {
        to.put("mean", levels_.mean);
        to.put("deviation", levels_.deviation);
    }

  private:
    Levels levels_;
};

}  // namespace

// Samples are scaled by the windows that trained the network; a level is that of all windows that may be known.
std::unique_ptr<Scorer> fit_marginal(const Healthy& healthy) {
    const data::Scaler& scale = healthy.preprocessing.scaler;
    const data::Scaler own =
        data::fit_scaler(healthy.dataset, data::covered(healthy.windows, healthy.recipe.window.length));
    const auto effects = std::ssize(healthy.preprocessing.effects);
    Levels levels{Eigen::VectorXd(effects), Eigen::VectorXd(effects)};
    for (int64_t i = 0; i < effects; ++i) {
        const int64_t channel = healthy.preprocessing.effects[i];
        const double unit = scale.deviation[channel];
        levels.mean(i) = (own.mean[channel] - scale.mean[channel]) / unit;
        // A block may stand still where the others move.
        levels.deviation(i) = std::max(own.deviation[channel] / unit, 1e-3);
    }
    return std::make_unique<MarginalScorer>(
        Levels{linear::to_float_precision(levels.mean), linear::to_float_precision(levels.deviation)});
}

std::unique_ptr<Scorer> load_marginal(const Archive& from, const Setting& setting) {
    Levels levels{from.vector("mean"), from.vector("deviation")};
    from.require(levels.mean.size() == setting.effects() && levels.deviation.size() == setting.effects() &&
                     (levels.deviation.array() > 0).all(),
                 "its levels do not fit the effects");
    return std::make_unique<MarginalScorer>(std::move(levels));
}

}  // namespace cmr::score
