// Three scores that are distances to healthy vectors: of pooled embeddings, of residuals, of windows as they are.

#include <algorithm>

#include "score/scorers/kept_bank.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class KnnScorer : public Scorer {
  public:
    using Vectors = std::function<Matrix(const Features&)>;

    KnnScorer(Vectors vectors, KeptBank bank, int64_t k)
        : vectors_(std::move(vectors)), bank_(std::move(bank)), k_(k) {}

    Judged judge(const Features& windows) const override { return {bank_.search().score(vectors_(windows), k_), {}}; }
    void save(Archive& to) const override {
        bank_.save(to);
        to.put("k", static_cast<double>(k_));
    }

  private:
    Vectors vectors_;
    KeptBank bank_;
    int64_t k_;
};

class PooledKnnScorer : public KnnScorer {
  public:
    PooledKnnScorer(const Pooling& pooling, KeptBank bank, int64_t k)
        : KnnScorer(pooling, std::move(bank), k), pooling_(pooling) {}

    void save(Archive& to) const override {
        KnnScorer::save(to);
        pooling_.save(to);
    }

  private:
    Pooling pooling_;
};

Matrix residuals_of(const Features& windows) { return windows["residual.mean"]; }

std::unique_ptr<Scorer> fit(const KnnScorer::Vectors& vectors, const Matrix& bank, const Healthy& healthy,
                            int64_t most_numbers) {
    return std::make_unique<KnnScorer>(vectors, KeptBank(bank, Metric::l2, bank_limit(healthy.recipe, most_numbers)),
                                       healthy.recipe.score.k);
}

int64_t neighbours(const Archive& from, const KeptBank& bank) { return from.whole("k", 1, bank.search().rows()); }

std::unique_ptr<Scorer> load(const KnnScorer::Vectors& vectors, const Archive& from, int64_t columns) {
    KeptBank bank(from, Metric::l2, columns);
    const int64_t k = neighbours(from, bank);
    return std::make_unique<KnnScorer>(vectors, std::move(bank), k);
}

}  // namespace

std::unique_ptr<Scorer> fit_knn(const Healthy& healthy) {
    const recipe::Score& settings = healthy.recipe.score;
    const Pooling pooling(settings.pooling, healthy.features);
    KeptBank bank(pooling(healthy.features), metric_named(settings.metric),
                  bank_limit(healthy.recipe, kMostEmbeddingNumbers));
    return std::make_unique<PooledKnnScorer>(pooling, std::move(bank), settings.k);
}

std::unique_ptr<Scorer> load_knn(const Archive& from, const Setting& setting) {
    const model::FeatureCounts features = setting.features();
    const Pooling pooling(setting.recipe.score.pooling, from, features);
    KeptBank bank(from, metric_named(setting.recipe.score.metric), pooling.columns(features));
    const int64_t k = neighbours(from, bank);
    return std::make_unique<PooledKnnScorer>(pooling, std::move(bank), k);
}
int64_t bank_rows_of_knn(const Setting& setting, int64_t windows) {
    const PoolingKind& pooling = pooling_named(setting.recipe.score.pooling);
    const int64_t all = pooling.columns(setting.features()),
                  columns = pooling.components > 0 ? std::min({all, windows, pooling.components}) : all;
    return kept_count(windows, columns, bank_limit(setting.recipe, kMostEmbeddingNumbers));
}

std::unique_ptr<Scorer> fit_residual_manifold(const Healthy& healthy) {
    return fit(residuals_of, residuals_of(healthy.features), healthy, kMostEmbeddingNumbers);
}
std::unique_ptr<Scorer> load_residual_manifold(const Archive& from, const Setting& setting) {
    return load(residuals_of, from, setting.features().effects);
}
int64_t bank_rows_of_residual_manifold(const Setting& setting, int64_t windows) {
    return kept_count(windows, setting.features().effects, bank_limit(setting.recipe, kMostEmbeddingNumbers));
}

std::unique_ptr<Scorer> fit_raw_knn(const Healthy& healthy) {
    return fit(joined_samples, joined_samples_to_fit(healthy.features), healthy, kMostWindowNumbers);
}
std::unique_ptr<Scorer> load_raw_knn(const Archive& from, const Setting& setting) {
    return load(joined_samples, from, setting.samples());
}
int64_t bank_rows_of_raw_knn(const Setting& setting, int64_t windows) {
    return kept_count(std::min(windows, kMostJoinedNumbers / setting.samples()), setting.samples(),
                      bank_limit(setting.recipe, kMostWindowNumbers));
}

}  // namespace cmr::score
