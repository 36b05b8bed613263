#pragma once
// The CMR model for training: encoders per channel group, causal predictor, decoders, and their joint loss.

#include "train/networks/network.h"

namespace cmr::train {

using model::ChannelGroup;

class CmrNetwork : public Network {
  public:
    explicit CmrNetwork(const Model& model);

    // Building blocks, differentiable. `training` chooses batch moments over running ones.
    Tensor encode(const ChannelGroup& group, const Tensor& samples, bool training);  // [n, length] → [n, tokens, width]
    Tensor predict(const Tensor& causes, double dropout, Rng rng);  // [n, tokens, C_x width] → [n, tokens, C_y width]
    Tensor decode(const std::string& decoder, const Tensor& tokens, int64_t length, bool training);  // → [n, length]

  protected:
    // The graph is walked in parts so that it never stands in memory as a whole: decoders and predictor start from cut
    // copies of the embeddings, and what they send back is then sent through the encoders.
    Losses run(const Tensor& windows, const Step& step, bool training) override;

  private:
    struct Embedded;
    struct Decoding;

    // `foretold`: [batch, tokens, C_y width], decoded too where defined.
    std::vector<Decoding> all_decodings(std::vector<Embedded>& embedded, const Tensor& foretold) const;
    void decode_all(std::vector<Decoding>& decodings, int64_t length, bool training);

    const kernels::Precision precision_ = config().training_precision();
    std::shared_ptr<ops::TapePool> tapes_ = ops::new_tape_pool();
};

}  // namespace cmr::train
