#pragma once
// What healthy training windows decide before anything is learned: scales, channels that move, the network's inputs.

#include "data/scaler.h"
#include "data/split.h"
#include "model/inputs.h"

namespace cmr::model {

struct Preprocessing {
    data::Scaler scaler;                   // of every channel of the dataset
    std::vector<int64_t> causes, effects;  // channels of the dataset that are used
    Inputs inputs;
    Config config;

    // [windows, channels · length], z-scored, held within ±kLargestSample. All samples that are scored, explained or
    // learned from come from here.
    Matrix cause_windows(const data::Dataset& dataset, const std::vector<data::Window>& windows, int64_t length) const;
    Matrix effect_windows(const data::Dataset& dataset, const std::vector<data::Window>& windows, int64_t length) const;
};

Preprocessing prepare(const data::Dataset& dataset, const recipe::Recipe& recipe,
                      const std::vector<data::Window>& train);

}  // namespace cmr::model
