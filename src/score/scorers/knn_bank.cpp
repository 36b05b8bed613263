#include "score/scorers/knn_bank.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

// Our own loop instead of FAISS, whose distances depend on the size of the batch: docs/decisions/0006.

namespace cmr::score {
namespace {

struct Neighbour {
    float distance;  // squared
    int64_t row;

    auto operator<=>(const Neighbour&) const = default;
};

// The k least neighbours. They are ordered by distance, then by row, so the set does not depend on the order in which
// they come, and the search may be cut into pieces at will.
class Nearest {
  public:
    explicit Nearest(int64_t k) : k_(static_cast<size_t>(k)) { heap_.reserve(k_); }

    void offer(Neighbour candidate) {
        if (heap_.size() < k_) {
            heap_.push_back(candidate);
            std::ranges::push_heap(heap_);
        } else if (candidate < heap_.front()) {
            std::ranges::pop_heap(heap_);
            heap_.back() = candidate;
            std::ranges::push_heap(heap_);
        }
    }
    const std::vector<Neighbour>& found() const { return heap_; }

  private:
    size_t k_;
    std::vector<Neighbour> heap_;  // the farthest in front
};

constexpr int64_t kQueries = 16;           // searched together, so that the bank is read once for all of them
constexpr int64_t kBlockFloats = 1 << 13;  // of the bank, small enough to stay in the first cache meanwhile

// Queries against rows begin … end-1 of the bank.
void search(const MatrixView& queries, const MatrixView& bank, Rows piece, std::span<const Rows> left_out,
            std::span<Nearest> nearest) {
    const int64_t block = std::max<int64_t>(8, kBlockFloats / bank.columns);
    std::vector<float> distances(queries.rows * block);
    for (int64_t begin = piece.begin; begin < piece.end; begin += block) {
        const int64_t count = std::min(block, piece.end - begin);
        kernels::kernels().squared_distances(queries.rows, count, bank.columns, queries.data, bank.row(begin).data(),
                                             distances.data());
        for (int64_t q = 0; q < queries.rows; ++q) {
            const Rows out = left_out.empty() ? Rows{} : left_out[q];
            for (int64_t r = 0; r < count; ++r)
                if (const int64_t row = begin + r; row < out.begin || row >= out.end)
                    nearest[q].offer({distances[q * count + r], row});
        }
    }
}

double squared_distance(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - b[i];
        sum += d * d;
    }
    return sum;
}

Matrix preprocessing(const MatrixView& rows, Metric metric) {
    Matrix out(rows.rows, rows.columns);
    std::copy_n(rows.data, rows.rows * rows.columns, out.values.begin());
    if (metric == Metric::cosine)
        for (int64_t i = 0; i < out.rows; ++i) {
            double square = 0;
            for (const float value : out.row(i)) square += static_cast<double>(value) * value;
            // One of length one stays as it is, so that a bank comes back from a file with the same bits.
            if (square > 0 && std::abs(square - 1) > 3e-7)
                for (float& value : out.row(i)) value = static_cast<float>(value / std::sqrt(square));
        }
    return out;
}

}  // namespace

Metric metric_named(const std::string& name) {
    if (name == "l2") return Metric::l2;
    if (name == "cosine") return Metric::cosine;
    throw InputError("metric \"{}\": expected l2 or cosine", name);
}

KnnBank::KnnBank(const MatrixView& healthy, Metric metric) : metric_(metric) {
    check_finite(healthy, "bank of healthy vectors");
    bank_ = preprocessing(healthy, metric);
}

std::vector<float> KnnBank::score(const MatrixView& queries, int64_t k, std::span<const Rows> left_out) const {
    return score_each(queries, {k}, left_out).values;
}

Matrix KnnBank::score_each(const MatrixView& queries, const std::vector<int64_t>& ks,
                           std::span<const Rows> left_out) const {
    Matrix out(queries.rows, std::ssize(ks));
    if (queries.rows == 0 || ks.empty()) return out;
    const auto [least, k] = std::ranges::minmax(ks);
    check_finite(queries, "vectors to score");
    if (queries.columns != columns())
        throw InputError("vectors to score have {} features, those of the bank {}", queries.columns, columns());
    if (least < 1 || k > rows())
        throw InputError("k = {}: expected 1 to {}, the number of vectors in the bank", least < 1 ? least : k, rows());
    CMR_ASSERT(left_out.empty() || std::ssize(left_out) == queries.rows, "one entry per query");
    for (const Rows& gone : left_out)
        if (const int64_t left =
                rows() - std::max<int64_t>(0, std::min(gone.end, rows()) - std::max<int64_t>(gone.begin, 0));
            left < k)
            throw InputError("k = {}: only {} of {} vectors in the bank remain when rows {} to {} are left out", k,
                             left, rows(), gone.begin, gone.end - 1);

    const Matrix points = preprocessing(queries, metric_);
    const int64_t groups = (queries.rows + kQueries - 1) / kQueries;
    // Few queries share the threads by pieces of the bank.
    const int64_t pieces = groups < 32 ? std::clamp<int64_t>(rows() / 4096, 1, 32) : 1;
    std::vector<Nearest> nearest(queries.rows * pieces, Nearest(k));  // [pieces, queries]
    parallel_for(groups * pieces, [&](int64_t task) {
        const int64_t piece = task % pieces, begin = task / pieces * kQueries;
        const int64_t count = std::min(kQueries, queries.rows - begin);
        search(MatrixView(points).rows_from(begin, count), bank_,
               {piece * rows() / pieces, (piece + 1) * rows() / pieces},
               left_out.empty() ? left_out : left_out.subspan(begin, count),
               std::span(nearest).subspan(piece * queries.rows + begin, count));
    });

    std::vector<double> sums(k + 1);  // of the nearest 0, 1, 2, … distances
    for (int64_t q = 0; q < queries.rows; ++q) {
        for (int64_t piece = 1; piece < pieces; ++piece)
            for (const Neighbour& neighbour : nearest[piece * queries.rows + q].found()) nearest[q].offer(neighbour);
        std::vector<Neighbour> found = nearest[q].found();
        std::ranges::sort(found);  // for a fixed order of the sum
        for (int64_t i = 0; i < k; ++i) {
            // Once more in double: 6 digits choose the neighbours well enough, but the score shall have them all.
            const double square = squared_distance(points.row(q), bank_.row(found[i].row));
            sums[i + 1] = sums[i] + (metric_ == Metric::l2 ? std::sqrt(square) : square / 2);
        }
        for (size_t i = 0; i < ks.size(); ++i)
            out.row(q)[i] = static_cast<float>(sums[ks[i]] / static_cast<double>(ks[i]));
    }
    return out;
}

}  // namespace cmr::score
