#pragma once
// How far a vector is from its nearest healthy ones.

#include "base/matrix.h"

namespace cmr::score {

// l2: √Σ(x-y)². cosine: 1 - cos, as ½ |x/|x| - y/|y||², which is the same but does not cancel; a vector of zeros has
// distance 0 to another and ½ to any else.
enum class Metric { l2, cosine };

Metric metric_named(const std::string& name);  // "l2", "cosine"; else InputError

// InputError where a bank of so many rows has no k neighbours.
void check_neighbours(int64_t k, int64_t rows);

double squared_distance(std::span<const float> a, std::span<const float> b);

// Rows begin … end-1 of a bank.
struct Rows {
    int64_t begin = 0;
    int64_t end = 0;
};

// A bank of healthy vectors; exact search. A score does not depend on the other queries or on the number of threads, to
// the bit.
class KnnBank {
  public:
    KnnBank(const MatrixView& healthy, Metric metric);

    int64_t rows() const { return bank_.rows; }
    int64_t columns() const { return bank_.columns; }
    const Matrix& vectors() const { return bank_; }
    Metric metric() const { return metric_; }

    // The mean distance to the k nearest rows of the bank, per query. `left_out` has one entry per query, or none at
    // all: rows of the bank that the query may not use. Healthy windows are scored so by a bank that did not see them
    // or their neighbours. InputError when fewer than k rows remain.
    std::vector<float> score(const MatrixView& queries, int64_t k, std::span<const Rows> left_out = {}) const;
    // The same for several k at once, [queries, ks], at the price of the largest.
    Matrix score_each(const MatrixView& queries, const std::vector<int64_t>& ks,
                      std::span<const Rows> left_out = {}) const;

  private:
    Metric metric_;
    Matrix bank_;                  // cosine: of length one
    std::vector<double> squares_;  // |row|² of the bank
};

}  // namespace cmr::score
