#include "training.h"

#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

#include "model/parameters.h"
#include "timing.h"
#include "train/networks/cmr_network.h"
#include "train/networks/optimiser.h"

namespace cmr::bench {
namespace {

train::CmrNetwork new_network(const model::Config& config) {
    return train::CmrNetwork({"bench", config, model::initial_parameters(config, Rng(1))});
}

model::Config zema() {
    model::Config config;
    config.groups = {{"power", false, 1}, {"pressure", true, 1}};
    config.stop_gradient = false;
    return config;
}

StepReport one_step(train::CmrNetwork& network, train::Optimiser& optimiser, const at::Tensor& windows) {
    const auto start = Clock::now();
    const train::Losses losses = network.train_step(windows, {Rng(1)});
    const auto end_of_step = Clock::now();
    optimiser.step();
    return {.total = seconds_since(start),
            .encoders_forward = losses.seconds.encode,
            .predictor = losses.seconds.mechanism,
            .decoders = losses.seconds.decode,
            .encoders_backward = losses.seconds.encode_backward,
            .optimiser = seconds_since(end_of_step)};
}

}  // namespace

struct EncoderTraining::State {
    train::CmrNetwork network = new_network(zema());
};

EncoderTraining::EncoderTraining() : state_(std::make_unique<State>()) {}
EncoderTraining::~EncoderTraining() = default;

double EncoderTraining::seconds(int64_t length, double budget) {
    train::CmrNetwork& network = state_->network;
    const at::Tensor samples = at::randn({1, length});
    const auto& group = network.config().groups[0];
    return best_seconds(
        [&] {
            const at::Tensor z = network.encode(group, samples, true);
            torch::autograd::backward({z}, {at::ones_like(z)});
            for (const auto& p : network.parameters()) p.value.mutable_grad().reset();
        },
        budget);
}

StepReport zema_step(int64_t batch, double budget) {
    train::CmrNetwork network = new_network(zema());
    train::Optimiser optimiser(network.parameters(), {});
    const at::Tensor windows = at::randn({batch, 2, 6000});
    StepReport best;
    best_seconds(
        [&] {
            const StepReport step = one_step(network, optimiser, windows);
            if (best.total == 0.0 || step.total < best.total) best = step;
        },
        budget, 1);
    return best;
}

double pu_step(int64_t batch) {
    model::Config config;
    config.groups = {{"current", false, 2}, {"vibration", true, 1}};
    config.cause_weight = 0.75;
    train::CmrNetwork network = new_network(config);
    train::Optimiser optimiser(network.parameters(), {});
    return one_step(network, optimiser, at::randn({batch, 3, 32768})).total;
}

}  // namespace cmr::bench
