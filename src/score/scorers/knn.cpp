#include "score/knn.h"
#include "linear/pca.h"
#include "score/pooled.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class KnnScorer : public Scorer {
  public:
    KnnScorer(Pooled pooled, KnnBank bank, int64_t k) : pooled_(std::move(pooled)), bank_(std::move(bank)), k_(k) {}

    std::vector<float> score(const Features& windows) const override { return bank_.score(pooled_(windows), k_); }

    void save(Archive& to) const override {
        pooled_.save(to);
        to.put("bank", bank_.vectors());
        to.put("k", static_cast<double>(k_));
        to.put("cosine", bank_.metric() == Metric::cosine ? 1.0 : 0.0);
    }

  private:
    Pooled pooled_;
    KnnBank bank_;
    int64_t k_;
};

}  // namespace

std::unique_ptr<Scorer> fit_knn(const Healthy& healthy) {
    const recipe::Score& settings = healthy.recipe.score;
    Pooled pooled(settings.pooling, healthy.features);
    KnnBank bank(pooled(healthy.features), metric_named(settings.metric));
    return std::make_unique<KnnScorer>(std::move(pooled), std::move(bank), settings.k);
}

std::unique_ptr<Scorer> load_knn(const Archive& from) {
    const Metric metric = from.number("cosine") > 0 ? Metric::cosine : Metric::l2;
    return std::make_unique<KnnScorer>(Pooled(from), KnnBank(from.matrix("bank"), metric),
                                       static_cast<int64_t>(from.number("k")));
}

}  // namespace cmr::score
