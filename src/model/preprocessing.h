#pragma once
// What healthy windows decide before anything is learned: scales, channels that move, the network's inputs.

#include "data/scaler.h"
#include "data/split.h"
#include "model/inputs.h"

namespace cmr::model {

struct Preprocessing {
    data::Scaler scaler;                   // of every channel of the dataset
    std::vector<int64_t> causes, effects;  // channels of the dataset that are used
    Inputs inputs;
    Config config;

    // [windows, channels · length], z-scored, clamped to ±kLargestSample. All samples that are scored, explained or
    // learned from come from here.
    Matrix cause_windows(const data::Dataset& dataset, const std::vector<data::Window>& windows, int64_t length) const;
    Matrix effect_windows(const data::Dataset& dataset, const std::vector<data::Window>& windows, int64_t length) const;
    // The same of samples in the plant's own units: [windows, channels of the dataset · length].
    Matrix cause_windows(const MatrixView& raw, int64_t length) const;
    Matrix effect_windows(const MatrixView& raw, int64_t length) const;
};

// What the network sees of the effects: what the recipe says; the signal where its method knows no causes, because then
// nothing can be taken out.
std::string effect_input(const recipe::Model& settings);

// All of it from the training windows; but where machines are left out in turn and the protocol is "paper", the scale
// is that of all healthy machines, those held out as well.
Preprocessing prepare(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold);

}  // namespace cmr::model
