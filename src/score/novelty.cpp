#include "score/novelty.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linear/rounded.h"
#include "score/cross_fit.h"
#include "score/robust.h"

namespace cmr::score {
namespace {

constexpr int64_t kNeighbours = 5;

// Mean and standard deviation over time of each channel, [windows, 2 · channels].
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

Matrix cause_vectors(const Features& windows, int64_t causes) {
    if (windows.cause_mean.columns > 0) return beside(windows.cause_mean, windows.cause_std);
    return moments(windows.causes, causes);
}

// Leaves out the windows of a row's block, and those that overlap it at the ends.
std::vector<Rows> left_out(const Healthy& healthy) {
    const int64_t rows = healthy.features.rows(), blocks = healthy.recipe.score.blocks;
    const int64_t stride =
        healthy.recipe.window.train_stride > 0 ? healthy.recipe.window.train_stride : healthy.recipe.window.stride;
    const int64_t near = healthy.recipe.window.length / std::max<int64_t>(1, stride);
    std::vector<Rows> out;
    for (int64_t b = 0; b < blocks; ++b)
        for (int64_t row = b * rows / blocks; row < (b + 1) * rows / blocks; ++row)
            out.push_back({b * rows / blocks - near, (b + 1) * rows / blocks + near});
    return out;
}

Matrix checked_bank(const Archive& from, int64_t features) {
    Matrix bank = from.matrix("bank");
    from.require(bank.columns == features && bank.rows >= 2 * kNeighbours, "the bank has the features of the causes");
    return bank;
}

std::vector<float> checked_healthy(const Archive& from, int64_t rows) {
    const Eigen::VectorXd healthy = from.vector("healthy");
    from.require(healthy.size() == rows, "one healthy distance per vector of the bank");
    return {healthy.begin(), healthy.end()};
}

}  // namespace

CauseNovelty::CauseNovelty(const Healthy& healthy)
    : causes_(std::ssize(healthy.prepared.causes)),
      scale_(cause_vectors(healthy.features, causes_)),
      bank_(scale_(cause_vectors(healthy.features, causes_)), Metric::l2),
      tail_(bank_.score(bank_.vectors(), kNeighbours, left_out(healthy))) {}

CauseNovelty::CauseNovelty(const Archive& from, int64_t causes, int64_t features)
    : causes_(causes),
      scale_(from.below("scale"), features),
      bank_(checked_bank(from, features), Metric::l2),
      tail_(checked_healthy(from, bank_.rows())) {}

void CauseNovelty::save(Archive& to) const {
    Archive scale = to.below("scale");
    scale_.save(scale);
    to.put("bank", bank_.vectors());
    Eigen::VectorXd healthy(std::ssize(tail_.healthy()));
    std::ranges::copy(tail_.healthy(), healthy.data());
    to.put("healthy", healthy);
}

std::vector<double> CauseNovelty::p_values(const Features& windows) const {
    std::vector<double> out;
    for (const float distance : bank_.score(scale_(cause_vectors(windows, causes_)), kNeighbours))
        out.push_back(tail_.p_value(distance));
    return out;
}

EffectRanges::EffectRanges(const MatrixView& effects, int64_t channels) {
    const Matrix all = moments(effects, channels);
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
        mean_deviation_(c) =
            std::max(means[static_cast<size_t>(0.99 * static_cast<double>(means.size() - 1))] / 3, 1e-3);
        const LogScale scale = log_scale(spreads);
        spread_(c) = scale.median;
        for (double& value : spreads) value = std::abs(log_of(value) - scale.median);
        std::ranges::sort(spreads);
        spread_deviation_(c) =
            std::max(spreads[static_cast<size_t>(0.99 * static_cast<double>(spreads.size() - 1))] / 3, 1e-3);
    }
    mean_ = linear::rounded(mean_), mean_deviation_ = linear::rounded(mean_deviation_);
    spread_ = linear::rounded(spread_), spread_deviation_ = linear::rounded(spread_deviation_);
}

EffectRanges::EffectRanges(const Archive& from, int64_t channels)
    : mean_(from.vector("mean")),
      mean_deviation_(from.vector("mean_deviation")),
      spread_(from.vector("spread")),
      spread_deviation_(from.vector("spread_deviation")) {
    for (const Eigen::VectorXd* part : {&mean_, &mean_deviation_, &spread_, &spread_deviation_})
        from.require(part->size() == channels, "one range per effect");
    from.require((mean_deviation_.array() > 0).all() && (spread_deviation_.array() > 0).all(),
                 "deviations are above 0");
}

void EffectRanges::save(Archive& to) const {
    to.put("mean", mean_);
    to.put("mean_deviation", mean_deviation_);
    to.put("spread", spread_);
    to.put("spread_deviation", spread_deviation_);
}

Matrix EffectRanges::operator()(const MatrixView& effects) const {
    const int64_t channels = mean_.size();
    const Matrix all = moments(effects, channels);
    Matrix out(all.rows, channels);
    for (int64_t i = 0; i < all.rows; ++i)
        for (int64_t c = 0; c < channels; ++c) {
            const double mean = std::abs(all.row(i)[2 * c] - mean_(c)) / mean_deviation_(c);
            const double spread = std::abs(log_of(all.row(i)[2 * c + 1]) - spread_(c)) / spread_deviation_(c);
            out.row(i)[c] = static_cast<float>(std::max(mean, spread));
        }
    return out;
}

}  // namespace cmr::score
