#pragma once
// What scores are made from: windows as samples and as pooled embeddings, one row each.

#include <memory>
#include <vector>

#include "base/matrix.h"
#include "model/encoder.h"
#include "model/inputs.h"
#include "model/predictor.h"

namespace cmr::score {

struct Features {
    Matrix causes, effects;  // z-scored samples [windows, channels · length]

    // Of the network's channels, [windows, channels · width]. Empty where there is no network.
    Matrix cause_mean, cause_std;  // pooled cause tokens
    Matrix mean, std, max;         // pooled effect tokens
    Matrix foreign;                // effects through the first cause encoder, mean; only where asked for
    Matrix residual_mean;          // predicted minus observed effect tokens, mean over time: signed
    Matrix residual_square;        // the same squared, mean over time

    int64_t rows() const { return effects.rows; }
    Features chosen(const std::vector<int64_t>& rows) const;
    void append(const Features& more);
};

// The trained network as it is used in scoring. The numbers of a window do not depend on the others.
class Embedder {
  public:
    Embedder(const model::Model& model, const model::Inputs& inputs, bool foreign = false);

    int64_t width() const { return width_; }

    // causes, effects: as data::window_matrix gives them.
    Features embed(Matrix causes, Matrix effects) const;

  private:
    // Some windows at a time, so that the tokens of all never stand in memory.
    void embed_some(const MatrixView& causes, const MatrixView& effects, int64_t first, Features& out) const;

    const model::Inputs& inputs_;
    std::vector<model::ChannelGroup> groups_;
    std::vector<model::Encoder> encoders_;  // per group
    model::Predictor predictor_;
    int64_t width_;
    bool foreign_;
};

}  // namespace cmr::score
