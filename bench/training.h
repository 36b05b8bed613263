#pragma once
// The measurements that need libtorch, behind a torch-free face.

#include <cstdint>
#include <memory>

namespace cmr::bench {

// Forward and backward through one encoder.
class EncoderTraining {
  public:
    EncoderTraining();
    ~EncoderTraining();
    double seconds(int64_t length, double budget);  // the best for one window

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// A whole training step and what its parts took, in seconds.
struct StepReport {
    double total = 0.0;
    double encoders_forward = 0.0;
    double predictor = 0.0;
    double decoders = 0.0;
    double encoders_backward = 0.0;
    double optimiser = 0.0;
};
StepReport zema_step(int64_t batch, double budget);

// One Paderborn-shaped step; returns its seconds.
double pu_step(int64_t batch);

}  // namespace cmr::bench
