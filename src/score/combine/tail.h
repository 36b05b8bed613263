#pragma once
// p-values of one score from its healthy values.

#include <vector>

namespace cmr::score {

// The share of healthy windows with a higher score; above the 90th percentile the tail is continued exponentially.
class Tail {
  public:
    Tail() = default;
    explicit Tail(std::vector<float> healthy);  // positive numbers, at least ten: else InputError

    double p_value(double score) const;
    const std::vector<float>& healthy() const { return healthy_; }

  private:
    std::vector<float> healthy_;  // ascending
    double knee_ = 0;             // log score where the exponential tail begins
    double slope_ = 1;            // of -log p over log score, there
};

}  // namespace cmr::score
