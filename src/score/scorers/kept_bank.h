#pragma once
// A bank as a model file keeps it: healthy vectors in few bytes, and not more of them than scoring needs.
// docs/scores.md tells what that costs.

#include <optional>

#include "recipe/recipe.h"
#include "score/file/archive.h"
#include "score/scorers/knn_bank.h"

namespace cmr::score {

// At most `most` rows that stand for all, ascending: the first, then again and again the one farthest from those chosen
// (Gonzalez 1985). What the machine does rarely is kept, and of near copies one. Of long rows, distances are those of
// random projections to 64 numbers (Johnson and Lindenstrauss 1984), give or take an eighth.
std::vector<int64_t> spread_rows(const MatrixView& rows, int64_t most);

// Numbers that a bank of embeddings holds at most, and one of windows as they are; but not fewer rows than that.
inline constexpr int64_t kMostEmbeddingNumbers = int64_t{1} << 23;
inline constexpr int64_t kMostWindowNumbers = int64_t{1} << 21;
inline constexpr int64_t kFewestBankRows = 128;

// Each feature in 255 equal steps from its least to its largest value: a byte for each number. To steps and back
// changes nothing more the second time, so a bank that was just fitted can be given the bits of one from a file.
struct Steps {
    int64_t rows = 0;
    std::vector<float> least, largest;  // [columns]
    std::vector<uint8_t> steps;         // [rows, columns]
};
Steps to_steps(const MatrixView& rows);
Matrix from_steps(const Steps& steps);

class KeptBank {
  public:
    // most_numbers: one of the above, or kExact: all rows as they are, as the paper has them.
    KeptBank(const MatrixView& healthy, Metric metric, int64_t most_numbers);
    static constexpr int64_t kExact = 0;
    KeptBank(const Archive& from, Metric metric, int64_t columns);  // InputError unless it has these columns
    void save(Archive& to) const;

    const KnnBank& search() const { return bank_; }
    // Which rows of the healthy vectors are in the bank; none of a bank from a file.
    const std::vector<int64_t>& chosen() const { return chosen_; }

  private:
    std::vector<int64_t> chosen_;
    std::optional<Steps> steps_;
    KnnBank bank_;
};

// How many of so many rows a bank keeps.
int64_t kept_count(int64_t rows, int64_t columns, int64_t most_numbers);

// `most_numbers`, or kExact where the recipe's protocol is the paper's.
int64_t bank_limit(const recipe::Recipe& recipe, int64_t most_numbers);

}  // namespace cmr::score
