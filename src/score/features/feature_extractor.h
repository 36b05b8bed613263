#pragma once
// From windows of a dataset to what scores are made from: z-scored samples and, where there is a network, its pooled
// embeddings.

#include <memory>

#include "model/preprocessing.h"
#include "score/features/features.h"

namespace cmr::score {

class FeatureExtractor {
  public:
    // A network without tensors gives samples alone. length: samples of a window.
    FeatureExtractor(model::Preprocessing preprocessing, model::Model network, int64_t length,
                     const EmbedOptions& options);

    const model::Preprocessing& preprocessing() const { return *preprocessing_; }
    const model::Model& network() const { return network_; }
    bool has_network() const { return embedder_ != nullptr; }
    int64_t length() const { return length_; }

    void foretell();  // from now on, which takes time

    // The z-scored samples alone.
    Features samples(const data::Dataset& dataset, const std::vector<data::Window>& windows) const;
    // With the embeddings.
    Features operator()(Matrix causes, Matrix effects) const;
    Features operator()(const data::Dataset& dataset, const std::vector<data::Window>& windows) const;
    // By the same network, asked for this too: InputError where there is none.
    Embedder embedder(EmbedOptions more) const;

  private:
    std::unique_ptr<model::Preprocessing> preprocessing_;  // the embedder looks at it
    model::Model network_;
    int64_t length_;
    EmbedOptions options_;
    std::unique_ptr<Embedder> embedder_;  // none without a network
};

}  // namespace cmr::score
