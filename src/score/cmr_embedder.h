#pragma once
// Features by CMR's own network: embeddings of each channel, and the residual of the causal prediction.

#include "model/encoder.h"
#include "model/predictor.h"
#include "score/features.h"

namespace cmr::score {

class CmrEmbedder : public Embedder {
  public:
    CmrEmbedder(const model::Model& model, const model::Inputs& inputs, bool foreign = false);

    int64_t width() const { return width_; }

    Features embed(Matrix causes, Matrix effects) const override;

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
