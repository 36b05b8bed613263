#include "score/features/standardizer.h"

#include <cmath>

#include "base/error.h"
#include "linear/float_precision.h"

namespace cmr::score {

Standardizer::Standardizer(const MatrixView& healthy)
    : mean_(Eigen::VectorXd::Zero(healthy.columns)), deviation_(Eigen::VectorXd::Zero(healthy.columns)) {
    check_finite(healthy, "features");
    const auto rows = static_cast<double>(healthy.rows);
    for (int64_t i = 0; i < healthy.rows; ++i)
        for (int64_t f = 0; f < healthy.columns; ++f) mean_(f) += healthy.row(i)[f] / rows;
    for (int64_t i = 0; i < healthy.rows; ++i)
        for (int64_t f = 0; f < healthy.columns; ++f)
            deviation_(f) += (healthy.row(i)[f] - mean_(f)) * (healthy.row(i)[f] - mean_(f)) / rows;
    // A feature that hardly moves is not blown up to the size of the others.
    const double least = 1e-3 * std::sqrt(deviation_.mean()) + 1e-12;
    mean_ = linear::to_float_precision(mean_);
    deviation_ = linear::to_float_precision(Eigen::VectorXd(deviation_.cwiseSqrt().cwiseMax(least)));
}

Standardizer::Standardizer(const Archive& from, int64_t features)
    : mean_(from.vector("mean")), deviation_(from.vector("deviation")) {
    from.require(mean_.size() == features && deviation_.size() == features && (deviation_.array() > 0).all(),
                 "means and deviations do not fit the windows");
}

Matrix Standardizer::operator()(const MatrixView& rows) const {
    CMR_ASSERT(rows.columns == mean_.size(), "the features that were fitted");
    Matrix out(rows.rows, rows.columns);
    for (int64_t i = 0; i < rows.rows; ++i)
        for (int64_t f = 0; f < rows.columns; ++f)
            out.row(i)[f] = static_cast<float>((rows.row(i)[f] - mean_(f)) / deviation_(f));
    return out;
}

}  // namespace cmr::score
