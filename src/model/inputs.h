#pragma once
// From z-scored windows to what the network sees: channels sorted by group, effects as they are or as what the linear
// mechanism leaves unexplained of them (the innovation).

#include <optional>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "linear/mechanism.h"
#include "model/config.h"

namespace cmr::model {

class Inputs {
  public:
    // The channels that move in healthy training data, in the dataset's order. `innovation` is needed unless
    // effect_input is "signal".
    Inputs(std::vector<data::Channel> causes, std::vector<data::Channel> effects, const std::string& effect_input,
           std::optional<linear::LaggedRidge> innovation);

    const std::vector<data::Channel>& causes() const { return causes_; }
    const std::vector<data::Channel>& effects() const { return effects_; }
    const std::optional<linear::LaggedRidge>& innovation() const { return innovation_; }

    // The groups of the network, in the order in which its channels stand.
    std::vector<ChannelGroup> groups() const;
    int64_t channels() const { return std::ssize(sources_); }
    // Which effect channel each effect channel of the network shows: one, or two of them the same.
    std::vector<int64_t> shown_effects() const;

    // causes [windows, causes · length], effects [windows, effects · length], as data::window_matrix gives them → out
    // [windows, channels, length]. The first samples of an innovation, which lack lagged causes, are 0.
    void assemble(const MatrixView& causes, const MatrixView& effects, float* out) const;

    // What is left of the effects when they are foretold: x as assemble gives it, foretold [windows, effect channels of
    // the network, length] what decoders make of foretold tokens → [windows, effects · length]. Not known of the first
    // `foretold_from` samples of a window.
    Matrix unforetold(int64_t windows, int64_t length, const float* x, const float* foretold) const;
    int64_t foretold_from() const { return innovation_ ? innovation_->lags() : 0; }

  private:
    struct Source {
        std::string group;
        bool effect = false;
        bool innovation = false;
        int64_t channel = 0;  // of the causes or of the effects
    };

    std::vector<data::Channel> causes_, effects_;
    std::optional<linear::LaggedRidge> innovation_;
    std::vector<Source> sources_;  // per channel of the network
};

}  // namespace cmr::model
