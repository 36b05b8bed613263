#pragma once
// How far a vector is from its nearest healthy ones.

#include "base/matrix.h"

namespace cmr::score {

// l2: √Σ(x-y)². cosine: 1 - cos, as ½ |x/|x| - y/|y||², which is the same but does not cancel; a vector of zeros has
// distance 0 to another and ½ to any else.
enum class Metric { l2, cosine };

Metric metric_named(const std::string& name);  // "l2", "cosine"; else InputError

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

// --- Banks are capped (docs/scores.md) ------------------------------------------------------------------------------

// At most `most` rows that stand for all, ascending: the first, then again and again the one farthest from those chosen
// (Gonzalez 1985). What the machine does rarely is kept, and of near copies one.
std::vector<int64_t> spread_rows(const MatrixView& rows, int64_t most);

// A bank of at most this many numbers, but of not fewer rows than that; all rows where they are within. No bank of the
// real sets that the table in docs/scores.md is made of has more.
inline constexpr int64_t kMostBankNumbers = int64_t{1} << 21;
inline constexpr int64_t kFewestBankRows = 128;
Matrix capped(const MatrixView& healthy, int64_t most_numbers = kMostBankNumbers,
              int64_t fewest_rows = kFewestBankRows);

// A bank in a quarter of the bytes: each feature in 255 equal steps from its least to its largest value. To steps and
// back changes nothing more the second time, so a bank that was just fitted can be given the bits of one from a file.
struct Steps {
    int64_t rows = 0;
    std::vector<float> least, largest;  // [columns]
    std::vector<uint8_t> steps;         // [rows, columns]
};
Steps to_steps(const MatrixView& rows);
Matrix from_steps(const Steps& steps);

}  // namespace cmr::score
