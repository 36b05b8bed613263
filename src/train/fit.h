#pragma once
// Healthy windows → a trained network.

#include <filesystem>
#include <functional>

#include "data/split.h"
#include "model/preprocessing.h"
#include "train/checkpoint.h"

namespace cmr::train {

struct FitOptions {
    uint64_t seed = 1337;
    std::filesystem::path checkpoint;  // written after every epoch, resumed at the start; empty: none
    std::string run;                   // what makes a checkpoint this run's
    bool restart = false;              // do not resume from a checkpoint
    // Before the first step: seconds that an epoch will take, from two steps and a validation batch of a network that
    // is thrown away. Not asked for where it is empty.
    std::function<void(double seconds)> on_begin;
    // What an earlier start of this run has done, before going on with it.
    std::function<void(const RunFacts&)> on_resume;
    // After each step; of how many. May throw to stop: the last finished epoch is on disk.
    std::function<void(int64_t step, int64_t steps)> on_step;
    std::function<void(const Epoch&)> on_epoch;
};

struct Fitted {
    model::Model model;  // of the best epoch
    RunFacts facts;
    bool resumed = false;
};

// Trains on fold.train, chooses the epoch by fold.validation. Throws InputError where training does not stay finite
// after several recoveries, or where the model is dead (see guards.h): a model that is returned has learned something.
Fitted fit(const data::Dataset& dataset, const recipe::Recipe& recipe, const data::Fold& fold,
           const model::Preprocessing& preprocessing, const FitOptions& options);

// Bytes that training will need at its peak beside the dataset: parameters, optimiser, the tape of a step.
int64_t memory_of_training(const model::Config& config, int64_t batch, int64_t length);

}  // namespace cmr::train
