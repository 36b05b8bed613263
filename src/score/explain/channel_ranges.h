#pragma once
// Is a channel odd by itself, whatever the others do?

#include "base/matrix.h"
#include "score/file/archive.h"

namespace cmr::score {

// Mean and standard deviation over time of each channel, [windows, 2 · channels].
Matrix moments(const MatrixView& windows, int64_t channels);

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
