#pragma once
// AdamW with the global gradient norm clipped.

#include <cstdint>
#include <vector>

#include "train/networks/network.h"

namespace cmr::train {

struct OptimiserSettings {
    double rate = 5e-4;
    double weight_decay = 1e-5;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double largest_norm = 1.0;  // of all gradients together; 0: no clipping
};

class Optimiser {
  public:
    Optimiser(const std::vector<Parameter>& parameters, const OptimiserSettings& settings);

    void set_rate(double rate) { settings_.rate = rate; }

    // One step from the parameters' gradients, which are then cleared. Returns the norm of the gradients before
    // clipping; where it is not finite nothing is changed but the gradients.
    double step();
    // Clears the gradients without a step.
    void discard();

    // What a run needs to go on from here with the same bits.
    struct Moments {
        std::vector<float> mean, square;
    };
    struct State {
        int64_t steps = 0;
        std::vector<Moments> moments;  // per parameter
    };
    const State& state() const { return state_; }
    void restore(State state);

  private:
    // All parameters in pieces of one size, so that a step wakes the threads twice and not twice for each tensor.
    struct Piece {
        size_t parameter;
        int64_t begin, count;
    };
    // body(number, piece, its gradient), for those that have one.
    template <typename Body>
    void for_each_piece(const Body& body) const;

    std::vector<Parameter> parameters_;
    std::vector<Piece> pieces_;
    OptimiserSettings settings_;
    State state_;
};

}  // namespace cmr::train
