#pragma once
// What has not been seen before: causes in a new operating range, or an effect that looks odd by itself.

#include "score/features/standardizer.h"
#include "score/scorers/kept_bank.h"
#include "score/scorers/scorer.h"

namespace cmr::score {

// How far the causes of some windows in a row are, on average, from those of healthy windows. The unit is what 99.9 %
// of as many healthy windows in a row are from those of other blocks; where there are less than a thousand, the
// farthest of them. So above 1 causes are new. A single window must be far off for that; a row of them need not.
// Causes are described by their embeddings, mean and deviation over time. Without a network: by mean, deviation and
// pace of each channel; the pace is the mean octave of its changes, weighted by their energy.
class CauseNovelty {
  public:
    explicit CauseNovelty(const Healthy& healthy);
    CauseNovelty(const Archive& from, int64_t causes, int64_t features, int64_t windows);  // healthy ones
    void save(Archive& to) const;

    // `row`: how many healthy windows in a row span the same time as these.
    double level(const Features& windows, int64_t row) const;
    static int64_t features(int64_t causes) { return 3 * causes; }  // without a network

  private:
    int64_t causes_ = 0;
    Standardizer scale_;
    KeptBank bank_;
    std::vector<float> healthy_;  // distances, in order of time
};

// Mean and spread of each channel over a window, in healthy deviations: the larger of the two. Of effects, or of
// causes.
class ChannelRanges {
  public:
    ChannelRanges(const MatrixView& windows, int64_t channels);
    explicit ChannelRanges(int64_t channels = 0);  // of samples in healthy deviations, by their scale alone
    ChannelRanges(const Archive& from, int64_t channels);
    void save(Archive& to) const;

    Matrix operator()(const MatrixView& windows) const;  // [windows, channels]
    double standstill(int64_t channel) const;            // the same of a channel that does not move at all

  private:
    Eigen::VectorXd mean_, mean_deviation_, spread_, spread_deviation_;
};

}  // namespace cmr::score
