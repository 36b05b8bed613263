#pragma once
// How large a share of an effect's residual a cause must explain to be named.

#include <Eigen/Core>

#include "linear/mechanism.h"
#include "score/file/archive.h"

namespace cmr::score {

// What any cause reaches by chance, while every coupling holds: the largest share (LaggedRidge::cause_shares) of each
// healthy window, of which 99 % stay below the limit. Not below kClearShare; nor above kHalf, because little is left
// unexplained of a healthy window, so that one switch a moment late can be all of it.
class CauseLimits {
  public:
    static constexpr double kClearShare = 0.2;
    static constexpr double kHalf = 0.5;

    // Windows as window_matrix gives them; evenly spaced ones where there are many.
    CauseLimits(const linear::LaggedRidge& mechanism, const MatrixView& causes, const MatrixView& effects,
                int64_t channels);
    explicit CauseLimits(int64_t channels = 0)
        : limits_(Eigen::VectorXd::Constant(channels, kClearShare)) {}  // where chance is not known
    CauseLimits(const Archive& from, int64_t channels);
    void save(Archive& to) const;

    double operator[](int64_t effect) const { return limits_(effect); }

  private:
    Eigen::VectorXd limits_;
};

}  // namespace cmr::score
