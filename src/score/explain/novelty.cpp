#include "score/explain/novelty.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "linear/float_precision.h"
#include "score/combine/cross_fit.h"
#include "score/combine/log_scale.h"

namespace cmr::score {
namespace {

constexpr int64_t kNeighbours = 5;
constexpr double kWithin = 0.999;    // share of the healthy windows
constexpr double kFewestPairs = 10;  // of windows that follow each other

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

// Mean octave of the changes of a signal: the energy of its Haar wavelets, which compare neighbouring blocks of 1, 2,
// 4, … samples, is a share of its variance. 0 where nothing changes.
double pace(std::span<const float> values) {
    std::vector<double> sums(values.begin(), values.end());
    double energy = 0, weighted = 0;
    for (double octave = 0, samples = 1; sums.size() >= 2; ++octave, samples *= 2) {
        const size_t pairs = sums.size() / 2;
        double square = 0;
        for (size_t i = 0; i < pairs; ++i) {
            const double before = sums[2 * i], after = sums[2 * i + 1];
            square += (after - before) * (after - before) / (2 * samples);
            sums[i] = before + after;
        }
        sums.resize(pairs);
        energy += square;
        weighted += octave * square;
    }
    return energy > 1e-12 ? weighted / energy : 0;
}

Matrix paces(const MatrixView& windows, int64_t channels) {
    const int64_t length = windows.columns / channels;
    Matrix out(windows.rows, channels);
    for (int64_t i = 0; i < windows.rows; ++i)
        for (int64_t c = 0; c < channels; ++c)
            out.row(i)[c] = static_cast<float>(pace(windows.row(i).subspan(c * length, length)));
    return out;
}

Matrix cause_vectors(const Features& windows, int64_t causes) {
    if (windows.has("causes.mean")) return concat_columns(windows["causes.mean"], windows["causes.std"]);
    return concat_columns(moments(windows.causes, causes), paces(windows.causes, causes));
}

// Each feature in units of how much it differs between windows that follow each other. Its deviation over all windows
// would be that between operating ranges, in whose units a new range near a known one is not far. Not less than a tenth
// of that deviation, so that what seldom changes is not blown up.
Standardizer scale_of(const MatrixView& vectors, const std::vector<data::Window>& windows) {
    const Standardizer overall(vectors);
    Eigen::VectorXd square = Eigen::VectorXd::Zero(vectors.columns);
    double pairs = 0;
    for (int64_t i = 1; i < vectors.rows; ++i) {
        if (windows[i].recording != windows[i - 1].recording) continue;
        ++pairs;
        for (int64_t f = 0; f < vectors.columns; ++f) {
            const double change = vectors.row(i)[f] - vectors.row(i - 1)[f];
            square(f) += change * change / 2;
        }
    }
    if (pairs < kFewestPairs) return overall;
    const Eigen::VectorXd& all = overall.deviation();
    return {overall.mean(), linear::to_float_precision(
                                Eigen::VectorXd((square / pairs).cwiseSqrt().cwiseMax(0.1 * all).cwiseMin(all)))};
}

// For each healthy window the rows of the bank that are of its own block, or overlap it at the ends.
std::vector<Rows> left_out(const Healthy& healthy, const std::vector<int64_t>& chosen) {
    const int64_t rows = std::ssize(healthy.windows), blocks = healthy.recipe.score.blocks;
    const int64_t near = healthy.recipe.window.length / healthy.recipe.window.training_stride();
    const auto first_from = [&](int64_t row) { return std::ranges::lower_bound(chosen, row) - chosen.begin(); };
    std::vector<Rows> out;
    for (int64_t b = 0; b < blocks; ++b) {
        const int64_t begin = b * rows / blocks, end = (b + 1) * rows / blocks;
        out.insert(out.end(), end - begin, {first_from(begin - near), first_from(end + near)});
    }
    return out;
}

std::vector<float> checked_healthy(const Archive& from, int64_t windows) {
    const Eigen::VectorXd healthy = from.vector("healthy");
    from.require(healthy.size() == windows, "one distance per healthy window");
    return {healthy.begin(), healthy.end()};
}

double mean_of(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

CauseNovelty::CauseNovelty(const Healthy& healthy)
    : causes_(std::ssize(healthy.preprocessing.causes)),
      scale_(scale_of(cause_vectors(healthy.features, causes_), healthy.windows)),
      bank_(scale_(cause_vectors(healthy.features, causes_)), Metric::l2, kMostEmbeddingNumbers),
      healthy_(bank_.search().score(scale_(cause_vectors(healthy.features, causes_)), kNeighbours,
                                    left_out(healthy, bank_.chosen()))) {}

CauseNovelty::CauseNovelty(const Archive& from, int64_t causes, int64_t features, int64_t windows)
    : causes_(causes),
      scale_(from.below("scale"), features),
      bank_(from, Metric::l2, features),
      healthy_(checked_healthy(from, windows)) {
    from.require(bank_.search().rows() >= 2 * kNeighbours, "its bank has too few vectors");
}

void CauseNovelty::save(Archive& to) const {
    Archive scale = to.below("scale");
    scale_.save(scale);
    bank_.save(to);
    Eigen::VectorXd healthy(std::ssize(healthy_));
    std::ranges::copy(healthy_, healthy.data());
    to.put("healthy", healthy);
}

double CauseNovelty::level(const Features& windows, int64_t row) const {
    const auto span = static_cast<size_t>(std::clamp<int64_t>(row, 1, std::ssize(healthy_)));
    std::vector<double> means;
    for (size_t first = 0; first + span <= healthy_.size(); ++first)
        means.push_back(mean_of(std::span(healthy_).subspan(first, span)));
    std::ranges::sort(means);
    const auto within = static_cast<size_t>(std::ceil(kWithin * static_cast<double>(means.size())));
    // Where all causes are alike, a difference that rounding can make is not new.
    const double unit = std::max(means[within - 1], 1e-4);
    return mean_of(bank_.search().score(scale_(cause_vectors(windows, causes_)), kNeighbours)) / unit;
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
