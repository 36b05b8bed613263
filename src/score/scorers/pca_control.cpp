#include "score/scorers/pca_control.h"

#include <algorithm>

#include "base/error.h"
#include "linear/products.h"
#include "linear/tiles.h"

namespace cmr::score {

PcaControl::PcaControl(const MatrixView& healthy, int64_t components) : pca_(linear::fit_pca(healthy, components + 1)) {
    if (pca_.components() <= components)
        throw InputError("PCA of {} components: the {} healthy windows span only {} dimensions, expected more",
                         components, healthy.rows, pca_.components());
    pca_.basis.conservativeResize(Eigen::NoChange, components);
    pca_.variances.conservativeResize(components);
}

std::vector<float> PcaControl::residual(const MatrixView& windows) const {
    CMR_ASSERT(windows.columns == pca_.mean.size(), "windows of the fitted length");
    std::vector<float> out(windows.rows);
    linear::for_each_group(windows, [&](int64_t first, int64_t count) {
        const Eigen::MatrixXd x = linear::centred_rows(windows, first, count, pca_.mean);
        const Eigen::MatrixXd parts = linear::product(x, pca_.basis);
        const Eigen::MatrixXd beside = x - linear::product(parts, pca_.basis.transpose());
        for (int64_t i = 0; i < count; ++i) out[first + i] = static_cast<float>(beside.row(i).squaredNorm());
    });
    return out;
}

std::vector<float> PcaControl::t_squared(const MatrixView& windows) const {
    CMR_ASSERT(windows.columns == pca_.mean.size(), "windows of the fitted length");
    std::vector<float> out(windows.rows);
    linear::for_each_group(windows, [&](int64_t first, int64_t count) {
        const Eigen::MatrixXd parts =
            linear::product(linear::centred_rows(windows, first, count, pca_.mean), pca_.basis);
        for (int64_t i = 0; i < count; ++i)
            out[first + i] =
                static_cast<float>((parts.row(i).transpose().array().square() / pca_.variances.array()).sum());
    });
    return out;
}

PcaControl healthy_plane(const Features& healthy, int64_t components) {
    const Matrix windows = joined_samples_to_fit(healthy);
    // One dimension must be left beside the plane.
    return {windows, std::max<int64_t>(1, std::min({components, windows.rows / 4, windows.columns / 2}))};
}

}  // namespace cmr::score
