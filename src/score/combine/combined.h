#pragma once
// One score of many. Each score becomes a number of healthy deviations on a logarithmic scale, judged by windows that
// its model did not see; their weights are those that best tell healthy windows from faults rehearsed on healthy
// windows. A fault that a single score sees clearly is seen: no weight is zero.
//
//   z = (log s - median) / deviation        of the cross-fitted healthy log scores, deviation = 1.4826 · median |…|
//   u = Σ w · log(1 + exp(z))                w ≥ 15 % of the largest, Σ w = 1

#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "score/combine/log_scale.h"
#include "score/file/archive.h"

namespace cmr::score {

// Scores of some windows, each column by its name.
struct NamedScores {
    std::span<const std::string> names;
    MatrixView values;  // [windows, names]

    int64_t column(const std::string& name) const;  // InputError if there is none
};

// How well a score ranks rehearsed faults above the healthy windows of the given rows. Column k of both.
double rehearsed_auroc(const MatrixView& healthy, const MatrixView& faulty, std::span<const int64_t> rows, int64_t k);

class Combined {
  public:
    // A score that counts.
    struct Voice {
        std::string name;
        LogScale scale;
        double weight = 0;
    };

    Combined() = default;
    // healthy [windows, scores], cross-fitted; rehearsed [rows, scores]: of the given rows with a fault of each kind.
    // Weights are learned from those rows, healthy and faulty, and from the first of the deciding kinds alone that any
    // score can tell; else from all kinds. A score that is blind to the kind that decides gets the least weight,
    // whatever it would correct in the others; one that is not `used` gets none. At least one is used.
    Combined(const NamedScores& healthy, std::span<const Matrix> rehearsed, std::span<const int64_t> rows,
             const std::vector<bool>& used);
    Combined(const Archive& from, std::span<const std::string> names);  // those that may count
    void save(Archive& to) const;

    std::vector<float> operator()(const NamedScores& scores) const;

    const std::vector<Voice>& voices() const { return voices_; }
    double weight(std::string_view name) const;  // 0 for one that does not count

  private:
    std::vector<Voice> voices_;
};

}  // namespace cmr::score
