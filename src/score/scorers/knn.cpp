#include "score/file/knn_archive.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class KnnScorer : public Scorer {
  public:
    KnnScorer(Pooling pooling, KnnBank bank, int64_t k) : pooling_(std::move(pooling)), bank_(std::move(bank)), k_(k) {}

    std::vector<float> score(const Features& windows) const override { return bank_.score(pooling_(windows), k_); }

    void save(Archive& to) const override {
        pooling_.save(to);
        to.put("bank", bank_.vectors());
        to.put("k", static_cast<double>(k_));
        to.put("cosine", bank_.metric() == Metric::cosine ? 1.0 : 0.0);
    }

  private:
    Pooling pooling_;
    KnnBank bank_;
    int64_t k_;
};

}  // namespace

std::unique_ptr<Scorer> fit_knn(const Healthy& healthy) {
    const recipe::Score& settings = healthy.recipe.score;
    Pooling pooling(settings.pooling, healthy.features);
    KnnBank bank(pooling(healthy.features), metric_named(settings.metric));
    return std::make_unique<KnnScorer>(std::move(pooling), std::move(bank), settings.k);
}

std::unique_ptr<Scorer> load_knn(const Archive& from, const Setting& setting) {
    const Metric metric = from.whole("cosine", 0, 1) == 1 ? Metric::cosine : Metric::l2;
    const int64_t causes = setting.cause_features(), effects = setting.effect_features();
    Pooling pooling(from, causes, effects);
    from.require(pooling.name() == setting.recipe.score.pooling, "its pooling is not that of the recipe");
    KnnBank bank = bank_of(from, metric, pooling.columns(causes, effects));
    const int64_t k = from.whole("k", 1, bank.rows());
    return std::make_unique<KnnScorer>(std::move(pooling), std::move(bank), k);
}

}  // namespace cmr::score
