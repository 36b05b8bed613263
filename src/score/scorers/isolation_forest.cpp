// Isolation forest (Liu et al. 2008) of windows as they are: what few random cuts set apart from the others is odd.
// 100 trees of 256 windows each; score 2^(-mean depth / usual depth), from 0 to 1.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

constexpr int64_t kTrees = 100, kSample = 256;

// The depth at which a search among n numbers ends without success, on average.
double usual_depth(double n) {
    if (n < 2) return 0;
    if (n < 3) return 1;
    constexpr double kEuler = 0.5772156649;
    return 2 * (std::log(n - 1) + kEuler) - 2 * (n - 1) / n;
}

// All trees one behind the other, a node per row.
enum Column { kFeature, kCut, kLeft, kRight, kSize, kColumns };  // kFeature -1: a leaf of kSize windows

class Grower {
  public:
    Grower(const MatrixView& windows, Rng rng) : windows_(windows), rng_(rng) {}

    void grow(std::vector<int64_t> rows, int depth) {
        const int64_t at = std::ssize(nodes_) / kColumns;
        nodes_.insert(nodes_.end(), {-1, 0, 0, 0, static_cast<float>(rows.size())});
        if (depth == 0 || rows.size() < 2) return;
        const auto feature = static_cast<int64_t>(rng_.below(static_cast<uint64_t>(windows_.columns)));
        const auto value = [&](int64_t row) { return windows_.row(row)[feature]; };
        const auto [least, most] = std::ranges::minmax(rows, {}, value);
        if (value(least) == value(most)) return;
        const auto cut = static_cast<float>(rng_.uniform(value(least), value(most)));
        const auto middle = std::partition(rows.begin(), rows.end(), [&](int64_t row) { return value(row) <= cut; });
        if (middle == rows.begin() || middle == rows.end()) return;
        nodes_[at * kColumns + kFeature] = static_cast<float>(feature);
        nodes_[at * kColumns + kCut] = cut;
        nodes_[at * kColumns + kLeft] = static_cast<float>(size());
        grow({rows.begin(), middle}, depth - 1);
        nodes_[at * kColumns + kRight] = static_cast<float>(size());
        grow({middle, rows.end()}, depth - 1);
    }

    int64_t size() const { return std::ssize(nodes_) / kColumns; }
    Matrix take() {
        Matrix out(size(), kColumns);
        out.values = std::move(nodes_);
        return out;
    }

  private:
    const MatrixView& windows_;
    Rng rng_;
    std::vector<float> nodes_;
};

class IsolationForest : public Scorer {
  public:
    IsolationForest(Matrix nodes, std::vector<int64_t> roots, int64_t sample)
        : nodes_(std::move(nodes)), roots_(std::move(roots)), sample_(sample) {}

    Judged judge(const Features& windows) const override {
        const Matrix samples = joined_samples(windows);
        std::vector<float> out;
        for (int64_t i = 0; i < samples.rows; ++i) {
            double depths = 0;
            for (const int64_t root : roots_) depths += depth(samples.row(i), root);
            out.push_back(static_cast<float>(std::exp2(-depths / static_cast<double>(std::ssize(roots_)) /
                                                       usual_depth(static_cast<double>(sample_)))));
        }
        return {std::move(out), {}};
    }

    void save(Archive& to) const override {
        to.put("nodes", nodes_);
        to.put("roots", roots_);
        to.put("sample", static_cast<double>(sample_));
    }

  private:
    double depth(std::span<const float> window, int64_t at) const {
        double steps = 0;
        while (nodes_.row(at)[kFeature] >= 0) {
            const auto node = nodes_.row(at);
            at = static_cast<int64_t>(window[static_cast<int64_t>(node[kFeature])] <= node[kCut] ? node[kLeft]
                                                                                                 : node[kRight]);
            ++steps;
        }
        return steps + usual_depth(nodes_.row(at)[kSize]);
    }

    Matrix nodes_;
    std::vector<int64_t> roots_;
    int64_t sample_;  // windows in a tree
};

}  // namespace

std::unique_ptr<Scorer> fit_isolation_forest(const Healthy& healthy) {
    const Matrix windows = joined_samples_to_fit(healthy.features);
    const MatrixView view(windows);
    Rng rng = Rng(static_cast<uint64_t>(healthy.recipe.train.seeds.front())).split("isolation-forest");
    Grower grower(view, rng.split("cuts"));
    const int64_t sample = std::min(kSample, windows.rows);
    const int depth = static_cast<int>(std::ceil(std::log2(std::max<double>(2, static_cast<double>(sample)))));
    std::vector<int64_t> roots, rows(windows.rows);
    std::iota(rows.begin(), rows.end(), 0);
    for (int64_t tree = 0; tree < kTrees; ++tree) {
        for (int64_t i = 0; i < sample; ++i)
            std::swap(rows[i], rows[i + static_cast<int64_t>(rng.below(static_cast<uint64_t>(windows.rows - i)))]);
        roots.push_back(grower.size());
        grower.grow({rows.begin(), rows.begin() + sample}, depth);
    }
    return std::make_unique<IsolationForest>(grower.take(), std::move(roots), sample);
}

std::unique_ptr<Scorer> load_isolation_forest(const Archive& from, const Setting& setting) {
    Matrix nodes = from.matrix("nodes");
    from.require(nodes.columns == kColumns, "its trees have other columns");
    for (int64_t i = 0; i < nodes.rows; ++i) {
        const auto node = nodes.row(i);
        const auto below = [&](int column) {  // children stand behind their parent: no walk goes on for ever
            return node[column] > static_cast<float>(i) && node[column] < static_cast<float>(nodes.rows);
        };
        from.require(node[kFeature] < static_cast<float>(setting.samples()) && node[kSize] >= 0 &&
                         (node[kFeature] < 0 || (below(kLeft) && below(kRight))),
                     "its trees do not fit together");
    }
    return std::make_unique<IsolationForest>(std::move(nodes), from.whole_numbers("roots", 0, nodes.rows - 1),
                                             from.whole("sample", 2, kSample));
}

}  // namespace cmr::score
