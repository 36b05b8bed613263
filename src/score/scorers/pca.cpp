// Two scores on one plane of healthy windows: how far a window is from it, and how far out on it.

#include "score/file/pca_archive.h"
#include "score/scorers/pca_control.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

using Plane = std::shared_ptr<const PcaControl>;
using Distance = std::vector<float> (PcaControl::*)(const MatrixView&) const;

constexpr const char* kPlane = "plane";  // beside both scores in a file, once

class PcaScorer : public Scorer {
  public:
    PcaScorer(Plane plane, Distance distance) : plane_(std::move(plane)), distance_(distance) {}

    Judged judge(const Features& windows) const override {
        return {((*plane_).*distance_)(joined_samples(windows)), {}};
    }
    void save(Archive& to) const override {
        Archive plane = to.sibling(kPlane);
        if (!plane.has("mean")) put_pca(plane, "", plane_->pca());
    }

  private:
    Plane plane_;
    Distance distance_;
};

std::unique_ptr<Scorer> fit(const Healthy& healthy, Distance distance) {
    if (!healthy.plane)
        healthy.plane =
            std::make_shared<const PcaControl>(healthy_plane(healthy.features, healthy.recipe.score.components));
    return std::make_unique<PcaScorer>(healthy.plane, distance);
}

std::unique_ptr<Scorer> load(const Archive& from, const Setting& setting, Distance distance) {
    linear::Pca pca = pca_of(from.sibling(kPlane), "", setting.samples());
    from.require((pca.variances.array() > 0).all(), "a component without variance");
    return std::make_unique<PcaScorer>(std::make_shared<const PcaControl>(std::move(pca)), distance);
}

}  // namespace

std::unique_ptr<Scorer> fit_pca(const Healthy& healthy) { return fit(healthy, &PcaControl::residual); }
std::unique_ptr<Scorer> load_pca(const Archive& from, const Setting& setting) {
    return load(from, setting, &PcaControl::residual);
}

std::unique_ptr<Scorer> fit_pca_t2(const Healthy& healthy) { return fit(healthy, &PcaControl::t_squared); }
std::unique_ptr<Scorer> load_pca_t2(const Archive& from, const Setting& setting) {
    return load(from, setting, &PcaControl::t_squared);
}

}  // namespace cmr::score
