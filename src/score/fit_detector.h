#pragma once
// From healthy windows to a detector.

#include <functional>

#include "score/detector.h"

namespace cmr::score {

// What a detector knows as healthy: windows for training, and for validation unless those are tested too. It is weighed
// and calibrated on these.
std::vector<data::Window> healthy_windows(const recipe::Recipe& recipe, const data::FoldWindows& fold);
// What its scores are fitted on: the same; by the protocol "paper" windows for training alone.
std::vector<data::Window> bank_windows(const recipe::Recipe& recipe, const data::FoldWindows& fold);

// InputError, as fit_detector has it, where the healthy windows of the fold are too few for `score.blocks` or
// `score.k`: known before a network is trained.
void check_fold(const recipe::Recipe& recipe, const data::Fold& fold, const model::Preprocessing& preprocessing);

using FitProgress = std::function<void(int64_t done, int64_t total)>;  // steps, which take about as long

// `network` is what training gave; one without tensors leaves out the learned scores.
Detector fit_detector(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
                      model::Preprocessing preprocessing, model::Model network, Provenance provenance,
                      const FitProgress& progress = {});

// Bytes that this takes on so many healthy windows, beside the program and the samples of the dataset. Measured against
// real runs: tests/apps/memory_test.cpp.
int64_t memory_to_fit(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t windows);
// SystemError where that is more than is free.
void check_memory_to_fit(const data::Dataset& dataset, const recipe::Recipe& recipe, int64_t windows);

}  // namespace cmr::score
