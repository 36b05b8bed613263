#pragma once
// Each feature in units of its healthy deviation.

#include "score/archive.h"

namespace cmr::score {

class Standard {
  public:
    explicit Standard(const MatrixView& healthy);
    Standard(Eigen::VectorXd mean, Eigen::VectorXd deviation)
        : mean_(std::move(mean)), deviation_(std::move(deviation)) {}
    Standard(const Archive& from, int64_t features);

    Matrix operator()(const MatrixView& rows) const;
    const Eigen::VectorXd& mean() const { return mean_; }
    const Eigen::VectorXd& deviation() const { return deviation_; }
    void save(Archive& to) const {
        to.put("mean", mean_);
        to.put("deviation", deviation_);
    }

  private:
    Eigen::VectorXd mean_, deviation_;
};

}  // namespace cmr::score
