#pragma once
// Features by CMR's own network: embeddings of each channel, and the residual of the causal prediction.

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/predictor.h"
#include "score/features/features.h"

namespace cmr::score {

class CmrEmbedder : public Embedder {
  public:
    CmrEmbedder(const model::Model& model, const model::Inputs& inputs, EmbedOptions extras = {});

    int64_t width() const { return width_; }

    Features embed(Matrix causes, Matrix effects) const override;

  private:
    // Some windows at a time, so that the tokens of all never stand in memory.
    void embed_some(const MatrixView& causes, const MatrixView& effects, int64_t first, Features& out) const;

    void decode(int64_t windows, int64_t channel, int64_t effect, int64_t channels, int64_t length,
                const std::vector<float>& x, const std::vector<float>& z, int64_t first, Features& out) const;

    const model::Inputs& inputs_;
    std::vector<model::ChannelGroup> groups_;
    std::vector<model::Encoder> encoders_;  // per group
    model::Predictor predictor_;
    int64_t width_;
    std::vector<model::Decoder> decoders_;  // per effect channel of the network; none unless asked for
    EmbedOptions options_;
};

}  // namespace cmr::score
