#pragma once
// Detectors that know nothing of causes: what a learned mechanism must beat. They see flattened z-scored windows of
// causes and effects side by side.

#include "linear/pca.h"
#include "score/features/features.h"

namespace cmr::score {

// PCA of healthy windows: how far a window is from the plane of the components, and how far out on it.
class PcaControl {
  public:
    // InputError unless the windows span more than `components` dimensions: else nothing is left beside the plane.
    PcaControl(const MatrixView& healthy, int64_t components);
    explicit PcaControl(linear::Pca pca) : pca_(std::move(pca)) {}  // one that was fitted before

    const linear::Pca& pca() const { return pca_; }

    std::vector<float> residual(const MatrixView& windows) const;   // SPE = |x - m - V Vᵀ (x - m)|²
    std::vector<float> t_squared(const MatrixView& windows) const;  // T² = Σ (vᵢᵀ (x - m))² / varianceᵢ

  private:
    linear::Pca pca_;
};

// Of windows; fewer components where there are few windows, which span few dimensions.
PcaControl healthy_plane(const Features& windows, int64_t components);

}  // namespace cmr::score
