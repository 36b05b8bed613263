#include "data/coupling.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "base/parallel.h"

namespace cmr::data {
namespace {

using Matrix = Eigen::MatrixXd;

// Sums of products of the scaled channels over a stretch: [all, all].
Matrix products(const Dataset& dataset, const SampleRange& stretch, const std::vector<int64_t>& used,
                const Scaler& scaler) {
    constexpr int64_t kPiece = 4096;
    const auto width = static_cast<int64_t>(used.size());
    Matrix sum = Matrix::Zero(width, width);
    Matrix piece(kPiece, width);
    for (int64_t begin = stretch.begin; begin < stretch.end; begin += kPiece) {
        const int64_t count = std::min(kPiece, stretch.end - begin);
        for (int64_t j = 0; j < width; ++j) {
            const auto values = dataset.recordings[stretch.recording].channels[used[j]].values();
            for (int64_t i = 0; i < count; ++i) piece(i, j) = scaler.apply(used[j], values[begin + i]);
        }
        const auto rows = piece.topRows(count);
        sum.noalias() += rows.transpose() * rows;
    }
    return sum;
}

}  // namespace

std::vector<double> linear_r2(const Dataset& dataset, const std::vector<SampleRange>& healthy, const Scaler& scaler) {
    std::vector<int64_t> used;  // the causes, then the effects
    int64_t causes = 0;
    for (const bool effects : {false, true})
        for (const int64_t c : dataset.indices(effects))
            if (!scaler.constant(c)) {
                used.push_back(c);
                causes += effects ? 0 : 1;
            }
    // In a fixed number of groups, summed in order: the same bits for any number of threads.
    const auto stretches = static_cast<int64_t>(healthy.size());
    const int64_t groups = std::min<int64_t>(stretches, 64);
    std::vector<Matrix> sums(groups);
    parallel_for(groups, [&](int64_t g) {
        const auto width = static_cast<int64_t>(used.size());
        sums[g] = Matrix::Zero(width, width);
        for (int64_t i = g * stretches / groups; i < (g + 1) * stretches / groups; ++i)
            sums[g] += products(dataset, healthy[i], used, scaler);
    });
    Matrix sum = sums.front();
    for (int64_t g = 1; g < groups; ++g) sum += sums[g];

    std::vector<double> out(dataset.channels.size(), std::numeric_limits<double>::quiet_NaN());
    const int64_t effects = static_cast<int64_t>(used.size()) - causes;
    if (effects == 0) return out;
    // The scaled channels have mean 0, so there is no intercept. A trace of ridge lets causes be copies of each other.
    Matrix among = sum.topLeftCorner(causes, causes);
    among.diagonal().array() *= 1.0 + 1e-9;
    const Matrix across = sum.topRightCorner(causes, effects);
    const Matrix weights = causes > 0 ? Matrix(among.ldlt().solve(across)) : across;
    for (int64_t j = 0; j < effects; ++j) {
        const double total = sum(causes + j, causes + j);
        const double explained = causes > 0 ? across.col(j).dot(weights.col(j)) : 0.0;
        out[used[causes + j]] = std::clamp(explained / total, 0.0, 1.0);
    }
    return out;
}

}  // namespace cmr::data
