#include "linear/samples.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace cmr::linear {

using Eigen::MatrixXd;

MatrixXd lagged(const MatrixXd& channels, int64_t lags) {
    const int64_t rows = channels.cols() - lags;
    MatrixXd out(rows, channels.rows() * (lags + 1));
    for (int64_t c = 0; c < channels.rows(); ++c)
        for (int64_t l = 0; l <= lags; ++l)
            out.col(c * (lags + 1) + l) = channels.row(c).segment(lags - l, rows).transpose();
    return out;
}

MatrixXd samples(const data::Dataset& dataset, const data::Scaler& scaler, const std::vector<int64_t>& channels,
                 const data::SampleRange& stretch) {
    const data::Recording& recording = dataset.recordings[stretch.recording];
    MatrixXd out(std::ssize(channels), stretch.end - stretch.begin);
    for (int64_t c = 0; c < out.rows(); ++c) {
        const auto values = recording.channels[channels[c]].values();
        for (int64_t t = stretch.begin; t < stretch.end; ++t)
            out(c, t - stretch.begin) = scaler.apply(channels[c], values[t]);
    }
    return out;
}

MatrixXd channels_of(std::span<const float> window, int64_t channels) {
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(window.data(), channels, std::ssize(window) / channels).cast<double>();
}

void for_each_piece(const std::vector<data::SampleRange>& healthy, int64_t beside,
                    const std::function<void(int64_t block, const data::SampleRange& piece)>& body) {
    const auto rows_of = [&](const data::SampleRange& stretch) {
        return std::max<int64_t>(0, stretch.end - stretch.begin - beside);
    };
    int64_t rows = 0;
    for (const data::SampleRange& stretch : healthy) rows += rows_of(stretch);
    if (rows < kRidgeBlocks)
        throw InputError("linear mechanism: {} healthy samples that have {} samples beside them, expected at least {}",
                         rows, beside, kRidgeBlocks);
    parallel_for(kRidgeBlocks, [&](int64_t b) {
        constexpr int64_t kPiece = 4096;
        const int64_t first = first_row_of_block(b, rows), last = first_row_of_block(b + 1, rows);
        int64_t passed = 0;
        for (const data::SampleRange& stretch : healthy) {
            const int64_t count = rows_of(stretch);
            const int64_t from = std::clamp<int64_t>(first - passed, 0, count);
            const int64_t to = std::clamp<int64_t>(last - passed, 0, count);
            for (int64_t row = from; row < to; row += kPiece)
                body(b, {stretch.recording, stretch.begin + row, stretch.begin + std::min(row + kPiece, to) + beside});
            passed += count;
        }
    });
}

Moments moments_of(const std::vector<RidgeSums>& blocks) {
    RidgeSums all = blocks.front();
    for (size_t b = 1; b < blocks.size(); ++b) all += blocks[b];
    const Eigen::VectorXd mean = all.x / all.rows;
    all.move_origin(mean, Eigen::VectorXd());
    return {all.rows, mean, all.xx / all.rows};
}

}  // namespace cmr::linear
