#pragma once
// Which effect channel left its healthy relation: the parts of one score, each in healthy deviations. Which score names
// channels best is found out by faults rehearsed on healthy windows, whose channel is known.

#include <span>
#include <string>
#include <vector>

#include "score/combine/cross_fit.h"

namespace cmr::score {

class Localiser {
  public:
    Localiser() = default;
    // The first judgement is of healthy windows, the others of rehearsed faults in channels[i]. `kinds` are those of
    // the judgements; at least one that has a say has parts. Only the given rows, which the network has not seen, tell
    // how good a score is.
    Localiser(std::span<const ScorerKind* const> kinds, std::span<const CrossFitted> judgements,
              std::span<const std::vector<int64_t>> channels, std::span<const int64_t> rows,
              const std::vector<bool>& eligible);
    explicit Localiser(const Archive& from);
    void save(Archive& to) const;

    int64_t kind() const { return kind_; }  // index of the score whose parts these are
    int64_t channels() const { return median_.size(); }
    double hit_rate() const { return hit_rate_; }  // of rehearsed faults, the channel named first

    // Parts of that score [windows, effects] → healthy deviations of their logarithm, see upper_log_scale.
    Matrix operator()(const MatrixView& parts) const;

  private:
    int64_t kind_ = 0;
    double hit_rate_ = 0;
    Eigen::VectorXd median_, deviation_;
};

}  // namespace cmr::score
