#include "score/explain/novelty.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "linear/float_precision.h"
#include "score/combine/cross_fit.h"
#include "score/explain/channel_ranges.h"

namespace cmr::score {
namespace {

constexpr int64_t kNeighbours = 5;
constexpr double kWithin = 0.999;    // share of the healthy windows
constexpr double kFewestPairs = 10;  // of windows that follow each other
constexpr double kLeastUnit = 1e-4;  // where all causes are alike, a difference that rounding can make is not new

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

// The distance of each healthy window from those of other blocks, and how far one may be outside all blocks.
struct CrossDistances {
    std::vector<float> of_window;
    double limit = 0;
};

CrossDistances cross_distances(const Healthy& healthy, const Matrix& vectors, const KeptBank& bank) {
    CrossDistances out{std::vector<float>(healthy.windows.size()), 0};
    std::vector<double> farthest;  // of each block
    for (const std::vector<int64_t>& block : blocks_of(healthy)) {
        if (block.empty()) continue;
        const std::vector<int64_t> others = rows_outside(healthy, block);
        std::vector<int64_t> kept;  // rows of the bank
        for (size_t i = 0; i < bank.chosen().size(); ++i)
            if (std::ranges::binary_search(others, bank.chosen()[i])) kept.push_back(static_cast<int64_t>(i));
        if (kept.empty()) throw InputError("healthy windows of one block alone: nothing to compare their causes with");
        const KnnBank rest(chosen_rows(bank.search().vectors(), kept), Metric::l2);
        const auto found = rest.score(chosen_rows(vectors, block), std::min(kNeighbours, rest.rows()));
        for (size_t i = 0; i < block.size(); ++i) out.of_window[block[i]] = found[i];
        farthest.push_back(std::ranges::max(found));
    }
    const auto [least, most] = std::ranges::minmax(farthest);
    out.limit = static_cast<float>(most + (most - least));
    return out;
}

// Which channels of the dataset have one value in all healthy windows.
std::vector<uint8_t> still_channels(const Healthy& healthy) {
    const int64_t length = healthy.recipe.window.length;
    std::vector<uint8_t> out;
    for (int64_t c = 0; c < std::ssize(healthy.dataset.channels); ++c) {
        const auto samples_of = [&](const data::Window& w) {
            return healthy.dataset.recordings[w.recording].channels[c].values().subspan(w.begin, length);
        };
        const float value = samples_of(healthy.windows.front()).front();
        out.push_back(std::ranges::all_of(healthy.windows, [&](const data::Window& w) {
            return std::ranges::all_of(samples_of(w), [&](float sample) { return sample == value; });
        }));
    }
    return out;
}

std::vector<uint8_t> checked_still(const Archive& from) {
    if (!from.has("still")) return {};
    const Eigen::VectorXd still = from.vector("still");
    std::vector<uint8_t> out;
    for (const double value : still) out.push_back(value != 0);
    return out;
}

std::vector<float> checked_healthy(const Archive& from, const KeptBank& bank) {
    const Eigen::VectorXd healthy = from.vector("healthy");
    from.require(healthy.size() >= bank.search().rows(), "fewer healthy distances than vectors in its bank");
    return {healthy.begin(), healthy.end()};
}

double mean_of(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

CauseNovelty::CauseNovelty(const Healthy& healthy)
    : causes_(std::ssize(healthy.preprocessing.causes)),
      scale_(scale_of(cause_vectors(healthy.features, causes_), healthy.windows)),
      bank_(scale_(cause_vectors(healthy.features, causes_)), Metric::l2, kMostEmbeddingNumbers) {
    CrossDistances found = cross_distances(healthy, scale_(cause_vectors(healthy.features, causes_)), bank_);
    healthy_ = std::move(found.of_window);
    limit_ = found.limit;
    still_ = still_channels(healthy);
}

CauseNovelty::CauseNovelty(const Archive& from, int64_t causes, int64_t features)
    : causes_(causes),
      scale_(from.below("scale"), features),
      bank_(from, Metric::l2, features),
      healthy_(checked_healthy(from, bank_)),
      // Files of before have none, nor their blocks; the farthest may be one of them.
      limit_(from.has("limit") ? from.number("limit") : 2.0 * std::ranges::max(healthy_)),
      still_(checked_still(from)) {
    from.require(bank_.search().rows() >= 2 * kNeighbours, "its bank has too few vectors");
    from.require(from.has("limit") == from.has("still"), "a limit and what stood still, or neither");
    from.require(limit_ >= std::ranges::max(healthy_), "its limit is below a healthy distance");
}

void CauseNovelty::save(Archive& to) const {
    Archive scale = to.below("scale");
    scale_.save(scale);
    bank_.save(to);
    to.put("healthy", healthy_);
    if (still_.empty()) return;  // of a file of before
    to.put("limit", limit_);
    to.put("still", still_);
}

std::vector<float> CauseNovelty::levels(const Features& windows) const {
    if (windows.rows() == 0) return {};
    std::vector<float> out = bank_.search().score(scale_(cause_vectors(windows, causes_)), kNeighbours);
    for (float& distance : out) distance /= static_cast<float>(std::max(limit_, kLeastUnit));
    return out;
}

double CauseNovelty::level(const Features& windows, int64_t row) const {
    const auto span = static_cast<size_t>(std::clamp<int64_t>(row, 1, std::ssize(healthy_)));
    std::vector<double> means;
    for (size_t first = 0; first + span <= healthy_.size(); ++first)
        means.push_back(mean_of(std::span(healthy_).subspan(first, span)));
    std::ranges::sort(means);
    const auto within = static_cast<size_t>(std::ceil(kWithin * static_cast<double>(means.size())));
    const double unit = std::max(means[within - 1], kLeastUnit);
    return mean_of(bank_.search().score(scale_(cause_vectors(windows, causes_)), kNeighbours)) / unit;
}

}  // namespace cmr::score
