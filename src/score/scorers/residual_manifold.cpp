#include "score/file/knn_archive.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class ManifoldScorer : public Scorer {
  public:
    ManifoldScorer(KnnBank bank, int64_t k) : bank_(std::move(bank)), k_(k) {}

    std::vector<float> score(const Features& windows) const override {
        return bank_.score(windows["residual.mean"], k_);
    }
    void save(Archive& to) const override {
        to.put("bank", bank_.vectors());
        to.put("k", static_cast<double>(k_));
    }

  private:
    KnnBank bank_;
    int64_t k_;
};

}  // namespace

std::unique_ptr<Scorer> fit_residual_manifold(const Healthy& healthy) {
    return std::make_unique<ManifoldScorer>(KnnBank(healthy.features["residual.mean"], Metric::l2),
                                            healthy.recipe.score.k);
}

std::unique_ptr<Scorer> load_residual_manifold(const Archive& from, const Setting& setting) {
    KnnBank bank = bank_of(from, Metric::l2, setting.effect_features());
    const int64_t k = from.whole("k", 1, bank.rows());
    return std::make_unique<ManifoldScorer>(std::move(bank), k);
}

}  // namespace cmr::score
