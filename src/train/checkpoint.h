#pragma once
// Everything a training run needs to go on after its last finished epoch with the same bits, as one file.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "train/networks/optimiser.h"
#include "train/schedule.h"

namespace cmr::train {

// What one epoch did.
struct Epoch {
    int64_t epoch = 0;  // from 1
    double rate = 0;
    double train_total = 0, train_mechanism = 0, train_effect = 0, train_cause = 0, train_waveform = 0;
    double validation_total = 0, validation_mechanism = 0, validation_effect = 0, validation_cause = 0,
           validation_waveform = 0, validation_judged = 0;
    bool best = false;
    int64_t skipped = 0;  // steps whose loss or gradient was not finite
    double seconds = 0;
    double windows_per_second = 0;  // of the training part
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, Epoch>
void visit_fields(C& c, const Visit& visit) {
    visit("epoch", c.epoch, "from 1");
    visit("rate", c.rate, "of learning");
    visit("train_total", c.train_total, "weighted sum of the losses, mean over the steps");
    visit("train_mechanism", c.train_mechanism, "effect embedding from cause embedding");
    visit("train_effect", c.train_effect, "effect reconstruction");
    visit("train_cause", c.train_cause, "cause reconstruction");
    visit("train_waveform", c.train_waveform, "effects foretold from causes");
    visit("validation_total", c.validation_total, "the same on validation windows");
    visit("validation_mechanism", c.validation_mechanism, "the same on validation windows");
    visit("validation_effect", c.validation_effect, "the same on validation windows");
    visit("validation_cause", c.validation_cause, "the same on validation windows");
    visit("validation_waveform", c.validation_waveform, "the same on validation windows");
    visit("validation_judged", c.validation_judged, "that of them which chooses the epoch");
    visit("best", c.best, "so far, by validation");
    visit("skipped", c.skipped, "steps whose loss or gradient was not finite");
    visit("seconds", c.seconds, "of the epoch");
    visit("windows_per_second", c.windows_per_second, "of its training part");
}

struct RunFacts {
    std::vector<Epoch> epochs;  // finished ones
    double untrained_loss = 0;  // on the validation windows
    int64_t best_epoch = 0;     // 0: none yet
    int64_t recoveries = 0;     // times the last good state was restored
    Schedule::State schedule;
    std::vector<int64_t> optimiser_steps;  // per phase
};

template <typename C, typename Visit>
requires std::is_same_v<std::remove_const_t<C>, RunFacts>
void visit_fields(C& c, const Visit& visit) {
    visit("epochs", c.epochs, "finished ones");
    visit("untrained_loss", c.untrained_loss, "on the validation windows");
    visit("best_epoch", c.best_epoch, "0: none yet");
    visit("recoveries", c.recoveries, "times the last good state was restored");
    visit("schedule", c.schedule, "of the learning rate");
    visit("optimiser_steps", c.optimiser_steps, "of AdamW, per phase");
}

struct RunState {
    RunFacts facts;
    model::Model network;
    std::vector<Optimiser::State> optimisers;  // per phase
    model::Model best;                         // empty: none yet
};

// Atomic. `run` names the run: recipe, data, seed and fold.
void save_checkpoint(const std::filesystem::path& path, const std::string& run, const RunState& state);

// Nothing if there is no file. InputError if it belongs to another run, or is damaged.
std::optional<RunState> load_checkpoint(const std::filesystem::path& path, const std::string& run,
                                        const model::Config& config, int64_t phases = 1);

}  // namespace cmr::train
