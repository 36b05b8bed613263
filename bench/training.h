#pragma once
// The measurements that need libtorch, behind a torch-free face.

#include <cstdint>
#include <memory>
#include <utility>

#include "model/config.h"

namespace cmr::bench {

// Forward and backward through one encoder.
class EncoderTraining {
  public:
    EncoderTraining();
    ~EncoderTraining();
    double seconds(int64_t length, double budget, int64_t windows = 1);  // the best for a batch

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
StepReport best_step(const model::Config& config, int64_t batch, int64_t length, double budget, int least = 1);

// The shapes of data sets.
struct Shape {
    const char* name;
    model::Config config;
    int64_t batch;
    int64_t length;  // samples of a window
};
Shape zema();
Shape tep();      // 52 channels of 8 tokens
Shape batadal();  // 43 channels of 6 tokens
Shape swat();     // 37 channels of 64 tokens
Shape paderborn();

// The second of two steps: its seconds, and those inside parallel_for.
struct SerialStep {
    double total;
    double in_parallel;
};
SerialStep serial_step(const Shape& shape);

// Seconds of two Paderborn-shaped steps: one that takes its memory from the system, and one that has it.
std::pair<double, double> pu_steps();

}  // namespace cmr::bench
