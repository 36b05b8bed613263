#include "linear/lagged_vectors.h"
#include "score/file/pca_archive.h"
#include "score/scorers/lags.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class DynamicPcaScorer : public Scorer {
  public:
    DynamicPcaScorer(linear::Pca plane, int64_t lags) : plane_(std::move(plane)), lags_(lags) {}

    Judged judge(const Features& windows) const override {
        return {linear::dynamic_spe(plane_, joined_samples(windows), lags_), {}};
    }
    void save(Archive& to) const override {
        put_pca(to, "", plane_);
        to.put("lags", static_cast<double>(lags_));
    }

  private:
    linear::Pca plane_;
    int64_t lags_;
};

}  // namespace

std::unique_ptr<Scorer> fit_dynamic_pca(const Healthy& healthy) {
    const int64_t lags = lags_of_all(healthy);
    return std::make_unique<DynamicPcaScorer>(linear::fit_dynamic_pca(samples_of_all(healthy), lags), lags);
}

std::unique_ptr<Scorer> load_dynamic_pca(const Archive& from, const Setting& setting) {
    const int64_t lags = from.whole("lags", 0, setting.length() - 1);
    return std::make_unique<DynamicPcaScorer>(pca_of(from, "", (setting.causes() + setting.effects()) * (lags + 1)),
                                              lags);
}

}  // namespace cmr::score
