#include "training.h"

#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/parallel_time.h"
#include "model/parameters.h"
#include "timing.h"
#include "train/networks/cmr_network.h"
#include "train/networks/optimiser.h"

namespace cmr::bench {
namespace {

train::CmrNetwork new_network(const model::Config& config) {
    return train::CmrNetwork({"bench", config, model::initial_parameters(config, Rng(1))});
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
    train::CmrNetwork network = new_network(zema().config);
};

EncoderTraining::EncoderTraining() : state_(std::make_unique<State>()) {}
EncoderTraining::~EncoderTraining() = default;

double EncoderTraining::seconds(int64_t length, double budget, int64_t windows) {
    train::CmrNetwork& network = state_->network;
    const at::Tensor samples = at::randn({windows, length});
    const auto& group = network.config().groups[0];
    return best_seconds(
        [&] {
            const at::Tensor z = network.encode(group, samples, true);
            torch::autograd::backward({z}, {at::ones_like(z)});
            for (const auto& p : network.parameters()) p.value.mutable_grad().reset();
        },
        budget);
}

Shape zema() {
    Shape shape{"zema", {}, 32, 6000};
    shape.config.groups = {{"power", false, 1}, {"pressure", true, 1}};
    shape.config.stop_gradient = false;
    return shape;
}

Shape tep() {
    Shape shape{"tep", {}, 32, 32};
    shape.config.groups = {{"manipulated", false, 11}, {"measured", true, 41}};
    return shape;
}

Shape batadal() {
    Shape shape{"batadal", {}, 32, 24};
    shape.config.groups = {{"states", false, 12}, {"levels", true, 7}, {"flows", true, 12}, {"pressures", true, 12}};
    return shape;
}

Shape swat() {
    Shape shape{"swat", {}, 32, 256};
    shape.config.groups = {{"actuators", false, 14}, {"sensors", true, 23}};
    shape.config.waveform_weight = 0.0;
    return shape;
}

Shape paderborn() {
    Shape shape{"paderborn", {}, 12, 32768};
    shape.config.groups = {{"current", false, 2}, {"vibration", true, 1}};
    shape.config.cause_weight = 0.75;
    return shape;
}

StepReport best_step(const model::Config& config, int64_t batch, int64_t length, double budget, int least) {
    train::CmrNetwork network = new_network(config);
    train::Optimiser optimiser(network.parameters(), {});
    const at::Tensor windows = at::randn({batch, config.channels(), length});
    StepReport best;
    best_seconds(
        [&] {
            const StepReport step = one_step(network, optimiser, windows);
            if (best.total == 0.0 || step.total < best.total) best = step;
        },
        budget, least);
    return best;
}

SerialStep serial_step(const Shape& shape) {
    train::CmrNetwork network = new_network(shape.config);
    train::Optimiser optimiser(network.parameters(), {});
    const at::Tensor windows = at::randn({shape.batch, shape.config.channels(), shape.length});
    one_step(network, optimiser, windows);
    const double before = seconds_in_parallel();
    const double total = one_step(network, optimiser, windows).total;
    return {total, seconds_in_parallel() - before};
}

std::pair<double, double> pu_steps() {
    const Shape shape = paderborn();
    train::CmrNetwork network = new_network(shape.config);
    train::Optimiser optimiser(network.parameters(), {});
    const at::Tensor windows = at::randn({shape.batch, shape.config.channels(), shape.length});
    const double first = one_step(network, optimiser, windows).total;
    return {first, one_step(network, optimiser, windows).total};
}

}  // namespace cmr::bench
