#include "score/scorers/knn_bank.h"

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

// Our own search instead of FAISS, whose distances depend on the size of the batch: docs/decisions/0006.

namespace cmr::score {
namespace {

struct Neighbour {
    double distance;  // squared
    int64_t row;

    auto operator<=>(const Neighbour&) const = default;
};

double square_of(std::span<const float> row) {
    double sum = 0;
    for (const float value : row) sum += static_cast<double>(value) * value;
    return sum;
}

constexpr int64_t kQueries = 64;         // multiplied with the bank together: a panel of the widest kernel
constexpr int64_t kFew = 8;              // queries for which that is not worth while
constexpr int64_t kBankRows = 512;       // of the bank in one task
constexpr int64_t kDistances = 1 << 24;  // queries · rows held at a time

// Squared distances [queries, bank rows] in float, as far as `nearest` needs them. Many queries go through a matrix
// product, |x - y|² = |x|² + |y|² - 2xy.
Matrix rough_distances(const MatrixView& queries, const MatrixView& bank, std::span<const double> bank_squares) {
    const kernels::Kernels& kernels = kernels::kernels();
    const bool few = queries.rows < kFew;
    const int64_t groups = (queries.rows + kQueries - 1) / kQueries, pieces = (bank.rows + kBankRows - 1) / kBankRows;
    const auto group_of = [&](int64_t g) {
        return queries.rows_from(g * kQueries, std::min(kQueries, queries.rows - g * kQueries));
    };
    std::vector<Buffer> packed(few ? 0 : groups);
    parallel_for(std::ssize(packed), [&](int64_t g) {
        packed[g].reserve(kernels.packed_size(bank.columns, group_of(g).rows));
        kernels.pack(bank.columns, group_of(g).rows, {group_of(g).data, 1, bank.columns}, packed[g].data());
    });
    std::vector<double> squares;
    for (int64_t q = 0; q < queries.rows; ++q) squares.push_back(square_of(queries.row(q)));
    Matrix out(queries.rows, bank.rows);
    parallel_for(groups * pieces, [&](int64_t task) {
        const int64_t group = task % groups, first = task / groups * kBankRows;
        const MatrixView some = group_of(group);
        const int64_t count = std::min(kBankRows, bank.rows - first);
        const float* rows = bank.row(first).data();
        std::vector<float> found(count * some.rows);
        if (few) {
            kernels.squared_distances(some.rows, count, bank.columns, some.data, rows, found.data());
            for (int64_t q = 0; q < some.rows; ++q) std::copy_n(&found[q * count], count, out.row(q).begin() + first);
            return;
        }
        kernels.gemm(count, some.rows, bank.columns, {rows, bank.columns, 1}, packed[group].data(), found.data(),
                     some.rows, false);
        for (int64_t q = 0; q < some.rows; ++q)
            for (int64_t r = 0; r < count; ++r)
                out.row(group * kQueries + q)[first + r] = static_cast<float>(
                    squares[group * kQueries + q] + bank_squares[first + r] - 2.0 * found[r * some.rows + q]);
    });
    return out;
}

// The k rows nearest to a query, in the order of their distance, then of their row. Rough distances tell which rows may
// be among them, give or take what rounding can do; those are measured in double. So the bits do not depend on how the
// rough ones came about.
std::vector<Neighbour> nearest(std::span<const float> query, const MatrixView& bank, std::span<const float> rough,
                               double largest_square, Rows left_out, int64_t k) {
    const double largest = std::max(square_of(query), largest_square);
    const bool told = largest < 1e30;  // else a product may be beyond float
    std::vector<Neighbour> found;
    for (int64_t row = 0; row < bank.rows; ++row)
        if (row < left_out.begin || row >= left_out.end) found.push_back({told ? rough[row] : 0.0, row});
    if (told) {
        std::ranges::nth_element(found, found.begin() + (k - 1));
        // A sum of n terms in blocks of 256 is off by at most (256 + n / 256) roundings of |x| |y|.
        const double roundings = 260 + static_cast<double>(bank.columns) / 256;
        const double limit = found[k - 1].distance + 8 * roundings * 6e-8 * largest;
        std::erase_if(found, [&](const Neighbour& neighbour) { return neighbour.distance > limit; });
    }
    for (Neighbour& neighbour : found) neighbour.distance = squared_distance(query, bank.row(neighbour.row));
    std::ranges::partial_sort(found, found.begin() + k);
    found.resize(k);
    return found;
}

// For cosine each row of length one, else as it is.
Matrix normalised(const MatrixView& rows, Metric metric) {
    Matrix out(rows.rows, rows.columns);
    std::copy_n(rows.data, rows.rows * rows.columns, out.values.begin());
    if (metric == Metric::cosine)
        for (int64_t i = 0; i < out.rows; ++i) {
            const double square = square_of(out.row(i));
            // One of length one stays as it is, so that a bank comes back from a file with the same bits.
            if (square > 0 && std::abs(square - 1) > 3e-7)
                for (float& value : out.row(i)) value = static_cast<float>(value / std::sqrt(square));
        }
    return out;
}

}  // namespace

double squared_distance(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - b[i];
        sum += d * d;
    }
    return sum;
}

void check_neighbours(int64_t k, int64_t rows) {
    if (k < 1 || k > rows) throw InputError("k = {}: expected 1 to {}, the number of vectors in the bank", k, rows);
}

Metric metric_named(const std::string& name) {
    if (name == "l2") return Metric::l2;
    if (name == "cosine") return Metric::cosine;
    throw InputError("metric \"{}\": expected l2 or cosine", name);
}

KnnBank::KnnBank(const MatrixView& healthy, Metric metric) : metric_(metric) {
    check_finite(healthy, "bank of healthy vectors");
    bank_ = normalised(healthy, metric);
    for (int64_t i = 0; i < bank_.rows; ++i) squares_.push_back(square_of(bank_.row(i)));
}

std::vector<float> KnnBank::score(const MatrixView& queries, int64_t k, std::span<const Rows> left_out) const {
    return score_each(queries, {k}, left_out).values;
}

Matrix KnnBank::score_each(const MatrixView& queries, const std::vector<int64_t>& ks,
                           std::span<const Rows> left_out) const {
    Matrix out(queries.rows, std::ssize(ks));
    if (queries.rows == 0 || ks.empty()) return out;
    const int64_t least = std::ranges::min(ks), k = std::ranges::max(ks);
    check_finite(queries, "vectors to score");
    if (queries.columns != columns())
        throw InputError("vectors to score have {} features, those of the bank {}", queries.columns, columns());
    check_neighbours(least, rows());
    check_neighbours(k, rows());
    CMR_ASSERT(left_out.empty() || std::ssize(left_out) == queries.rows, "one entry per query");
    for (const Rows& gone : left_out)
        if (const int64_t left =
                rows() - std::max<int64_t>(0, std::min(gone.end, rows()) - std::max<int64_t>(gone.begin, 0));
            left < k)
            throw InputError("k = {}: only {} of {} vectors in the bank remain when rows {} to {} are left out", k,
                             left, rows(), gone.begin, gone.end - 1);

    const Matrix points = normalised(queries, metric_);
    const double largest = *std::ranges::max_element(squares_);
    const int64_t some = std::clamp<int64_t>(kDistances / rows(), 16, 16 * kQueries);
    for (int64_t begin = 0; begin < queries.rows; begin += some) {
        const int64_t count = std::min(some, queries.rows - begin);
        const Matrix rough = rough_distances(MatrixView(points).rows_from(begin, count), bank_, squares_);
        parallel_for(count, [&](int64_t i) {
            const int64_t q = begin + i;
            std::vector<double> sums = {0};  // of the nearest 0, 1, 2, … distances
            for (const Neighbour& found :
                 nearest(points.row(q), bank_, rough.row(i), largest, left_out.empty() ? Rows{} : left_out[q], k))
                sums.push_back(sums.back() + (metric_ == Metric::l2 ? std::sqrt(found.distance) : found.distance / 2));
            for (size_t j = 0; j < ks.size(); ++j)
                out.row(q)[j] = static_cast<float>(sums[ks[j]] / static_cast<double>(ks[j]));
        });
    }
    return out;
}

}  // namespace cmr::score
