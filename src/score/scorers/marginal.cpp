#include "score/features/marginal.h"

#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class MarginalScorer : public Scorer {
  public:
    explicit MarginalScorer(int64_t effects) : effects_(effects) {}

    Judged judge(const Features& windows) const override {
        Matrix parts = marginal_deviations(windows.effects, effects_);
        return {max_of_rows(parts), std::move(parts)};
    }
    void save(Archive& to) const override { to.put("effects", static_cast<double>(effects_)); }

  private:
    int64_t effects_;
};

}  // namespace

std::unique_ptr<Scorer> fit_marginal(const Healthy& healthy) {
    return std::make_unique<MarginalScorer>(std::ssize(healthy.preprocessing.effects));
}

std::unique_ptr<Scorer> load_marginal(const Archive& from, const Setting& setting) {
    return std::make_unique<MarginalScorer>(from.whole("effects", setting.effects(), setting.effects()));
}

}  // namespace cmr::score
