#pragma once
// What healthy training data tell about each channel alone: its scale, and whether it ever moves.

#include <cstdint>
#include <span>
#include <vector>

#include "data/windows.h"

namespace cmr::data {

struct Scaler {
    std::vector<double> mean;       // per channel
    std::vector<double> deviation;  // of the population
    std::vector<float> least;
    std::vector<float> most;

    bool constant(int64_t channel) const { return least[channel] == most[channel]; }
    float apply(int64_t channel, float value) const {
        return static_cast<float>((static_cast<double>(value) - mean[channel]) / (deviation[channel] + 1e-8));
    }
};

// Each sample of the stretches counts once. Summed in double, in a fixed order: the same bits for any number of
// threads.
Scaler fit_scaler(const Dataset& dataset, const std::vector<SampleRange>& healthy);

}  // namespace cmr::data
