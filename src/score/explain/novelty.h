#pragma once
// What has not been seen before: causes in a new operating range.

#include "score/features/standardizer.h"
#include "score/scorers/kept_bank.h"
#include "score/scorers/scorer.h"

namespace cmr::score {

// How far the causes of some windows in a row are, on average, from those of healthy windows. The unit is what 99.9 %
// of as many healthy windows in a row are from those of other blocks; where there are less than a thousand, the
// farthest of them. So above 1 causes are new. A single window must be far off for that; a row of them need not.
// Causes are described by their embeddings, mean and deviation over time. Without a network: by mean, deviation and
// pace of each channel; the pace is the mean octave of its changes, weighted by their energy.
//
// A window by itself is outside the learned range where it is farther than the farthest healthy one, and by more than
// blocks differ in what is the farthest of them: a promise that is void is told by the same rule (conditions.h). Blocks
// are those of cross-fitting: machines or files where those are tested.
class CauseNovelty {
  public:
    explicit CauseNovelty(const Healthy& healthy);
    CauseNovelty(const Archive& from, int64_t causes, int64_t features);
    void save(Archive& to) const;

    // `row`: how many healthy windows in a row span the same time as these.
    double level(const Features& windows, int64_t row) const;
    // Each by itself; above 1: outside the learned range.
    std::vector<float> levels(const Features& windows) const;
    // Did a channel of the dataset stand still in all healthy windows, those for validation too? Files of before do not
    // know, and go by those for training.
    bool never_moved(int64_t channel) const {
        return channel >= std::ssize(still_) || still_[static_cast<size_t>(channel)] != 0;
    }
    static int64_t features(int64_t causes) { return 3 * causes; }  // without a network

  private:
    int64_t causes_ = 0;
    Standardizer scale_;
    KeptBank bank_;
    std::vector<float> healthy_;  // distances, in order of time
    double limit_ = 0;            // of a window by itself
    std::vector<uint8_t> still_;  // per channel; none at all: not known
};

}  // namespace cmr::score
