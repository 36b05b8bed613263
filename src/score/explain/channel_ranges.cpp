#include "score/explain/channel_ranges.h"

#include <algorithm>
#include <cmath>

#include "base/quantile.h"
#include "linear/float_precision.h"
#include "score/combine/log_scale.h"

namespace cmr::score {

Matrix moments(const MatrixView& windows, int64_t channels) {
    const int64_t length = windows.columns / channels;
    Matrix out(windows.rows, 2 * channels);
    for (int64_t i = 0; i < windows.rows; ++i)
        for (int64_t c = 0; c < channels; ++c) {
            const auto values = windows.row(i).subspan(c * length, length);
            double sum = 0, square = 0;
            for (const float v : values) sum += v;
            const double mean = sum / static_cast<double>(length);
            for (const float v : values) square += (v - mean) * (v - mean);
            out.row(i)[2 * c] = static_cast<float>(mean);
            out.row(i)[2 * c + 1] = static_cast<float>(std::sqrt(square / static_cast<double>(length)));
        }
    return out;
}

ChannelRanges::ChannelRanges(const MatrixView& windows, int64_t channels) {
    const Matrix all = moments(windows, channels);
    mean_ = mean_deviation_ = spread_ = spread_deviation_ = Eigen::VectorXd::Zero(channels);
    for (int64_t c = 0; c < channels; ++c) {
        std::vector<double> means, spreads;
        for (int64_t i = 0; i < all.rows; ++i) {
            means.push_back(all.row(i)[2 * c]);
            spreads.push_back(all.row(i)[2 * c + 1]);
        }
        mean_(c) = median_of(means);
        for (double& value : means) value = std::abs(value - mean_(c));
        // Healthy data have several regimes: what 99 % of the windows stay within counts as three deviations.
        std::ranges::sort(means);
        mean_deviation_(c) = std::max(quantile_of(means, 0.99) / 3, 1e-3);
        const LogScale scale = log_scale(spreads);
        spread_(c) = scale.median;
        for (double& value : spreads) value = std::abs(log_of(value) - scale.median);
        std::ranges::sort(spreads);
        spread_deviation_(c) = std::max(quantile_of(spreads, 0.99) / 3, 1e-3);
    }
    mean_ = linear::to_float_precision(mean_), mean_deviation_ = linear::to_float_precision(mean_deviation_);
    spread_ = linear::to_float_precision(spread_), spread_deviation_ = linear::to_float_precision(spread_deviation_);
}

ChannelRanges::ChannelRanges(int64_t channels)
    : mean_(Eigen::VectorXd::Zero(channels)),
      mean_deviation_(Eigen::VectorXd::Ones(channels)),
      spread_(Eigen::VectorXd::Zero(channels)),
      spread_deviation_(Eigen::VectorXd::Ones(channels)) {}

ChannelRanges::ChannelRanges(const Archive& from, int64_t channels)
    : mean_(from.vector("mean")),
      mean_deviation_(from.vector("mean_deviation")),
      spread_(from.vector("spread")),
      spread_deviation_(from.vector("spread_deviation")) {
    for (const Eigen::VectorXd* part : {&mean_, &mean_deviation_, &spread_, &spread_deviation_})
        from.require(part->size() == channels, "one range per channel");
    from.require((mean_deviation_.array() > 0).all() && (spread_deviation_.array() > 0).all(),
                 "deviations are above 0");
}

void ChannelRanges::save(Archive& to) const {
    to.put("mean", mean_);
    to.put("mean_deviation", mean_deviation_);
    to.put("spread", spread_);
    to.put("spread_deviation", spread_deviation_);
}

Matrix ChannelRanges::operator()(const MatrixView& windows) const {
    const int64_t channels = mean_.size();
    const Matrix all = moments(windows, channels);
    Matrix out(all.rows, channels);
    for (int64_t i = 0; i < all.rows; ++i)
        for (int64_t c = 0; c < channels; ++c) {
            const double mean = std::abs(all.row(i)[2 * c] - mean_(c)) / mean_deviation_(c);
            const double spread = std::abs(log_of(all.row(i)[2 * c + 1]) - spread_(c)) / spread_deviation_(c);
            out.row(i)[c] = static_cast<float>(std::max(mean, spread));
        }
    return out;
}

double ChannelRanges::standstill(int64_t channel) const {
    return (spread_(channel) - log_of(0)) / spread_deviation_(channel);
}

}  // namespace cmr::score
