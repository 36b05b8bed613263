#pragma once
// What has not been seen before: causes in a new operating range, or an effect that looks odd by itself.

#include "score/combined.h"
#include "score/knn.h"
#include "score/scorer.h"
#include "score/standard.h"

namespace cmr::score {

// How far the cause embeddings of a window (mean and deviation over time; of the samples where there is no network) are
// from those of healthy windows, as a p-value. Healthy blocks are judged by the rest.
class CauseNovelty {
  public:
    explicit CauseNovelty(const Healthy& healthy);
    CauseNovelty(const Archive& from, int64_t causes, int64_t features);
    void save(Archive& to) const;

    std::vector<double> p_values(const Features& windows) const;

  private:
    int64_t causes_ = 0;
    Standard scale_;
    KnnBank bank_;
    Tail tail_;
};

// Mean and spread of each effect over a window, in healthy deviations: the larger of the two.
class EffectRanges {
  public:
    EffectRanges(const MatrixView& effects, int64_t channels);
    EffectRanges(const Archive& from, int64_t channels);
    void save(Archive& to) const;

    Matrix operator()(const MatrixView& effects) const;  // [windows, effects]

  private:
    Eigen::VectorXd mean_, mean_deviation_, spread_, spread_deviation_;
};

}  // namespace cmr::score
