#pragma once
// Samples with those before them, and sums over all healthy ones.

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "data/scaler.h"
#include "data/windows.h"
#include "linear/ridge.h"

namespace cmr::linear {

// channels: [channels, length] → [length - lags, channels · (lags + 1)]; row t holds the samples t + lags, t + lags - 1
// … t of the first channel, then of the second.
Eigen::MatrixXd lagged(const Eigen::MatrixXd& channels, int64_t lags);

// Channels of a stretch, z-scored: [channels, samples].
Eigen::MatrixXd samples(const data::Dataset& dataset, const data::Scaler& scaler, const std::vector<int64_t>& channels,
                        const data::SampleRange& stretch);

// One window of window_matrix as [channels, length].
Eigen::MatrixXd channels_of(std::span<const float> window, int64_t channels);

// Calls body(block, piece) for pieces of the healthy stretches, in the order of time; blocks are contiguous fifths of
// the rows, and run in parallel. A row is a sample and `beside` neighbours: a piece of n samples has n - beside rows.
// InputError where there are fewer rows than blocks.
void for_each_piece(const std::vector<data::SampleRange>& healthy, int64_t beside,
                    const std::function<void(int64_t block, const data::SampleRange& piece)>& body);

// Means and covariance of what was added as inputs.
struct Moments {
    double rows = 0;
    Eigen::VectorXd mean;
    Eigen::MatrixXd covariance;
};
Moments moments_of(const std::vector<RidgeSums>& blocks);

}  // namespace cmr::linear
