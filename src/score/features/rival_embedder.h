#pragma once
// Features by a rival: tokens of all channels together, and its own score.

#include "model/methods/rival.h"
#include "score/features/features.h"

namespace cmr::score {

class RivalEmbedder : public Embedder {
  public:
    RivalEmbedder(const model::Model& model, const model::Inputs& inputs);

    Features embed(Matrix causes, Matrix effects) const override;

  private:
    const model::Inputs& inputs_;
    std::vector<int64_t> effect_of_channel_;  // -1: a cause
    int64_t features_;
    std::unique_ptr<model::Rival> rival_;
};

}  // namespace cmr::score
