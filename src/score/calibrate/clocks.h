#pragma once
// Evidence over time. The fast clock is the combined score of a window by itself; it sees faults of seconds. The slow
// clock is a mean over the windows so far, the latest counting most; it sees what is little and lasts. Either may raise
// the alarm:
//
//   mean = mean + (1 - 2^(-period / half-life)) (min(combined, 10) - mean)
//                                begins at the mean of healthy windows, and begins anew after an interruption
//   slow = a + b · mean          so that it has the 90th percentile of the healthy combined scores, and exceeds it by
//                                as much on average as they do: the two are equally often that high
//   both = max(combined, slow)   a level is this over the threshold
//
// What is loud the fast clock tells by itself. On the slow one, ten deviations are as good as any more: so one strange
// window is not heard for long, and an alarm ends when the fault does.
// The half-life is the length of a window, the one span of time that a recipe names.

#include <span>
#include <vector>

#include "score/calibrate/calibrate.h"

namespace cmr::score {

class Clocks {
  public:
    static constexpr double kLoudest = 10;  // docs/scores.md has the sweep

    Clocks() = default;
    // `healthy`: combined scores, cross-fitted.
    Clocks(const HealthyTrace& healthy, double half_life_s);

    // Of windows in a row, `period_s` apart; another segment: after an interruption.
    std::vector<double> slow(std::span<const double> combined, std::span<const int32_t> segment, double period_s) const;

    // One at a time. All that a stream needs to go on is the mean.
    double usual() const { return usual_; }  // the mean at the beginning
    double next(double mean, double combined, double period_s) const;
    double slow(double mean) const { return offset_ + factor_ * mean; }

  private:
    double usual_ = 0, half_life_s_ = 1;
    double offset_ = 0, factor_ = 1;  // a, b
};

}  // namespace cmr::score
