#pragma once
// The CMR model for training: encoders per channel group, causal predictor, decoders, and their joint loss.

#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "model/config.h"
#include "model/model_file.h"
#include "ops/ops.h"

namespace cmr::model {

using at::Tensor;

// Where the time of a step went, in seconds.
struct StepSeconds {
    double encode = 0.0;
    double mechanism = 0.0;  // predictor, both ways
    double decode = 0.0;     // decoders, both ways
    double encode_backward = 0.0;
};

struct Losses {
    double total = 0.0;      // the weighted sum that is minimised
    double mechanism = 0.0;  // mean square of predicted minus observed effect embedding
    double effect = 0.0;     // of the effect reconstruction
    double cause = 0.0;
    StepSeconds seconds;
};

// A parameter that is trained, in the order of parameter_specs.
struct Parameter {
    std::string name;
    Tensor value;
};

class Network {
  public:
    explicit Network(const Model& model);

    const Config& config() const { return config_; }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    Model snapshot() const;
    // Takes over the numbers of a model of the same settings.
    void restore(const Model& model);

    // windows: [batch, channels, length], normalised, channels in the order of the groups. Adds the gradient of the
    // total loss to the parameters' gradients and moves the running moments. `rng` gives the dropout.
    //
    // Where the loss is not finite, the running moments stay as they were.
    //
    // The graph is walked in parts so that it never stands in memory as a whole: decoders and predictor start from cut
    // copies of the embeddings, and what they send back is then sent through the encoders.
    Losses train_step(const Tensor& windows, Rng rng);

    // The same loss with running moments and without dropout; no gradients.
    Losses evaluate(const Tensor& windows);

    // Building blocks, differentiable. `training` chooses batch moments over running ones.
    Tensor encode(const ChannelGroup& group, const Tensor& samples, bool training);  // [n, length] → [n, tokens, width]
    Tensor predict(const Tensor& causes, double dropout, Rng rng);  // [n, tokens, C_x width] → [n, tokens, C_y width]
    Tensor decode(const std::string& decoder, const Tensor& tokens, int64_t length, bool training);  // → [n, length]

  private:
    struct Embedded;
    const Tensor& at(const std::string& name) const;
    ops::RunningMoments running(const std::string& norm) const;
    Losses run(const Tensor& windows, Rng rng, bool training);

    Config config_;
    std::vector<Parameter> parameters_;
    std::vector<Tensor> moments_;  // running ones, which are not trained
    std::unordered_map<std::string, Tensor> tensors_;
    std::shared_ptr<ops::TapePool> tapes_ = ops::new_tape_pool();
};

}  // namespace cmr::model
