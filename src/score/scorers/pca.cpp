#include "score/file/pca_archive.h"
#include "score/scorers/pca_control.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class PcaScorer : public Scorer {
  public:
    explicit PcaScorer(PcaControl control) : control_(std::move(control)) {}

    std::vector<float> score(const Features& windows) const override {
        return control_.residual(concat_columns(windows.causes, windows.effects));
    }
    void save(Archive& to) const override { put_pca(to, "", control_.pca()); }

  private:
    PcaControl control_;
};

}  // namespace

std::unique_ptr<Scorer> fit_pca(const Healthy& healthy) {
    return std::make_unique<PcaScorer>(healthy_plane(healthy.features, healthy.recipe.score.components));
}

std::unique_ptr<Scorer> load_pca(const Archive& from, const Setting& setting) {
    return std::make_unique<PcaScorer>(PcaControl(pca_of(from, "", setting.samples())));
}

}  // namespace cmr::score
