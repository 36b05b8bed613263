#include "score/features/feature_extractor.h"

#include "base/error.h"

namespace cmr::score {

FeatureExtractor::FeatureExtractor(model::Preprocessing preprocessing, model::Model network, int64_t length,
                                   const EmbedOptions& options)
    : preprocessing_(std::make_unique<model::Preprocessing>(std::move(preprocessing))),
      network_(std::move(network)),
      length_(length),
      options_(options) {
    if (network_.tensors.empty())
        network_.config = preprocessing_->config;
    else
        embedder_ = std::make_unique<Embedder>(network_, preprocessing_->inputs, options);
}

void FeatureExtractor::foretell() {
    options_.foretelling = true;
    embedder_ = std::make_unique<Embedder>(network_, preprocessing_->inputs, options_);
}

Features FeatureExtractor::samples(const data::Dataset& dataset, const std::vector<data::Window>& windows) const {
    Features out;
    out.causes = preprocessing_->cause_windows(dataset, windows, length_);
    out.effects = preprocessing_->effect_windows(dataset, windows, length_);
    return out;
}

Features FeatureExtractor::operator()(Matrix causes, Matrix effects) const {
    if (embedder_) return embedder_->embed(std::move(causes), std::move(effects));
    Features out;
    out.causes = std::move(causes);
    out.effects = std::move(effects);
    return out;
}

Features FeatureExtractor::operator()(const data::Dataset& dataset, const std::vector<data::Window>& windows) const {
    Features cut = samples(dataset, windows);
    return (*this)(std::move(cut.causes), std::move(cut.effects));
}

Embedder FeatureExtractor::embedder(EmbedOptions more) const {
    if (!embedder_) throw InputError("this detector has no network, so its windows have no embeddings");
    more.poolings.insert(more.poolings.end(), options_.poolings.begin(), options_.poolings.end());
    more.foretelling |= options_.foretelling;
    return {network_, preprocessing_->inputs, more};
}

}  // namespace cmr::score
