#pragma once
// Each feature in units of its healthy deviation.

#include "score/file/archive.h"

namespace cmr::score {

class Standardizer {
  public:
    explicit Standardizer(const MatrixView& healthy);
    Standardizer(Eigen::VectorXd mean, Eigen::VectorXd deviation)
        : mean_(std::move(mean)), deviation_(std::move(deviation)) {}
    Standardizer(const Archive& from, int64_t features);

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
