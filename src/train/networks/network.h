#pragma once
// A network in training, of any method: its parameters, and the steps that move them.

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "model/config.h"
#include "model/model_file.h"
#include "ops/ops.h"

namespace cmr::train {

using at::Tensor;
using model::Config;
using model::Model;

// Where the time of a step went, in seconds.
struct StepSeconds {
    double encode = 0.0;
    double mechanism = 0.0;  // predictor, both ways
    double decode = 0.0;     // decoders, both ways
    double encode_backward = 0.0;
};

struct Losses {
    double total = 0.0;      // what is minimised
    double mechanism = 0.0;  // mean square of predicted minus observed effect embedding; a rival's second term
    double effect = 0.0;     // of the reconstruction; of the effects alone where causes have one of their own
    double cause = 0.0;
    double waveform = 0.0;  // of effects that are foretold from the causes; of cmr alone
    double judged = 0.0;    // what chooses the epoch
    StepSeconds seconds;
};

// A parameter that is trained, in the order of parameter_specs.
struct Parameter {
    std::string name;
    Tensor value;
};

// Which step of a run.
struct Step {
    Rng rng = Rng(0);   // for what is drawn
    int64_t epoch = 1;  // from 1
    int64_t phase = 0;
};

class Network {
  public:
    virtual ~Network() = default;
    Network(Network&&) = default;
    Network& operator=(Network&&) = delete;

    const Config& config() const { return config_; }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    Model snapshot() const;
    // Takes over the numbers of a model of the same settings.
    void restore(const Model& model);

    // Steps on each batch, one after the other, each with an optimiser of its own.
    virtual int64_t phases() const { return 1; }

    // Before the first step: what is set from the training windows, batch by batch, and not learned.
    using Batches = std::function<void(const std::function<void(const Tensor&)>&)>;
    virtual void begin(const Batches&) {}

    // windows: [batch, channels, length], normalised, channels in the order of the groups. Adds the gradient of the
    // phase's loss to the gradients of the phase's parameters, and moves the running moments.
    //
    // Where the loss is not finite, the running moments stay as they were.
    Losses train_step(const Tensor& windows, const Step& step);

    // The same loss with running moments and without dropout; no gradients.
    Losses evaluate(const Tensor& windows, int64_t epoch = 1);

  protected:
    explicit Network(const Model& model);

    virtual Losses run(const Tensor& windows, const Step& step, bool training) = 0;

    const Tensor& at(const std::string& name) const;
    ops::RunningMoments running(const std::string& norm) const;

  private:
    Config config_;
    std::vector<Parameter> parameters_;
    std::vector<Tensor> moments_;  // running ones, which are not trained
    std::unordered_map<std::string, Tensor> tensors_;
};

// Of the method that the model's settings name.
std::unique_ptr<Network> make_network(const Model& model);

}  // namespace cmr::train
