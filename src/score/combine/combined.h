#pragma once
// One score of many. Each score becomes a number of healthy deviations on a logarithmic scale, judged by windows that
// its model did not see; their weights are those that best tell healthy windows from faults rehearsed on healthy
// windows. A fault that a single score sees clearly is seen: no weight is zero.
//
//   z = (log s - median) / deviation        of the cross-fitted healthy log scores, deviation = 1.4826 · median |…|
//   u = Σ w · log(1 + exp(z))                w ≥ 15 % of the largest, Σ w = 1
//   p = share of healthy windows with a higher u; above the 90th percentile the tail is continued exponentially

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "score/file/archive.h"

namespace cmr::score {

// p-values of one score from its healthy values.
class Tail {
  public:
    Tail() = default;
    explicit Tail(std::vector<float> healthy);  // positive numbers

    double p_value(double score) const;
    const std::vector<float>& healthy() const { return healthy_; }

  private:
    std::vector<float> healthy_;  // ascending
    double knee_ = 0;             // log score where the exponential tail begins
    double slope_ = 1;            // of -log p over log score, there
};

// How well score k ranks rehearsed faults above healthy windows, of the given rows.
double rehearsed_auroc(const MatrixView& healthy, const MatrixView& faulty, std::span<const int64_t> rows, int64_t k);

class Combined {
  public:
    Combined() = default;
    // healthy [windows, scores], cross-fitted; rehearsed: the same for windows with a rehearsed fault of each kind.
    // Weights are learned from the given rows of both, and from the first of the deciding kinds alone that any score
    // can tell; else from all kinds. A score that is blind to the kind that decides gets the least weight, whatever it
    // would correct in the others; one that is not `used` gets none.
    Combined(const MatrixView& healthy, std::span<const Matrix> rehearsed, std::span<const int64_t> rows,
             const std::vector<bool>& used);
    explicit Combined(const Archive& from);
    void save(Archive& to) const;

    // [windows, the scores that were combined, perhaps others]
    std::vector<float> operator()(const MatrixView& scores) const;

    const Eigen::VectorXd& weights() const { return weights_; }

  private:
    double part(double score, int64_t k) const;  // log(1 + exp(z))

    Eigen::VectorXd median_, deviation_, weights_;
};

}  // namespace cmr::score
