#pragma once
// The learning rate of each epoch: it rises linearly while warming up, then falls along half a cosine, or is halved
// whenever the validation loss stands still. What is better than the best so far is said here, too: it decides which
// epoch is kept and when patience is over.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "recipe/recipe.h"

namespace cmr::train {

class Schedule {
  public:
    // Less than a thousandth better is standing still: noise. By the protocol "paper" any improvement counts.
    Schedule(const recipe::Train& settings, const std::string& protocol)
        : settings_(settings), least_gain_(protocol == "paper" ? 0 : 1e-3) {}

    struct State {
        double factor = 1.0;  // what plateaus and recoveries left of the rate
        double best = std::numeric_limits<double>::infinity();
        int64_t since_best = 0;    // epochs
        int64_t since_change = 0;  // epochs since the best or the last halving

        template <typename C, typename Visit>
        requires std::is_same_v<std::remove_const_t<C>, State>
        friend void visit_fields(C& c, const Visit& visit) {
            visit("factor", c.factor, "what plateaus and recoveries left of the rate");
            visit("best", c.best, "validation loss");
            visit("since_best", c.since_best, "epochs");
            visit("since_change", c.since_change, "epochs since the best or the last halving");
        }
    };

    double rate(int64_t epoch) const;  // from 0

    // Returns whether this validation loss is the best so far.
    bool observe(int64_t epoch, double validation_loss);
    bool patience_is_over() const { return state_.since_best >= settings_.patience; }
    void lower() { state_.factor /= 2; }

    const State& state() const { return state_; }
    void restore(const State& state) {
        state_ = state;
        if (std::isnan(state_.best)) state_.best = std::numeric_limits<double>::infinity();  // JSON has no infinity
    }

  private:
    recipe::Train settings_;
    double least_gain_;  // share of the best loss
    State state_;
};

}  // namespace cmr::train
