#include "score/file/pca_archive.h"
#include "score/scorers/pca_control.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

class PcaT2Scorer : public Scorer {
  public:
    explicit PcaT2Scorer(PcaControl control) : control_(std::move(control)) {}

    std::vector<float> score(const Features& windows) const override {
        return control_.t_squared(concat_columns(windows.causes, windows.effects));
    }
    void save(Archive& to) const override { put_pca(to, "", control_.pca()); }

  private:
    PcaControl control_;
};

}  // namespace

std::unique_ptr<Scorer> fit_pca_t2(const Healthy& healthy) {
    return std::make_unique<PcaT2Scorer>(healthy_plane(healthy.features, healthy.recipe.score.components));
}

std::unique_ptr<Scorer> load_pca_t2(const Archive& from, const Setting& setting) {
    linear::Pca pca = pca_of(from, "", setting.samples());
    from.require((pca.variances.array() > 0).all(), "a component without variance");
    return std::make_unique<PcaT2Scorer>(PcaControl(std::move(pca)));
}

}  // namespace cmr::score
