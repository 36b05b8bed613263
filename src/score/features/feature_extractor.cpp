#include "score/features/feature_extractor.h"

#include "base/error.h"

namespace cmr::score {

FeatureExtractor::FeatureExtractor(model::Preprocessing preprocessing, model::Model network, int64_t length,
                                   EmbedOptions options)
    : preprocessing_(std::make_unique<model::Preprocessing>(std::move(preprocessing))),
      network_(std::move(network)),
      length_(length) {
    if (network_.tensors.empty())
        network_.config = preprocessing_->config;
    else
        embedder_ = make_embedder(network_, preprocessing_->inputs, options);
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

std::unique_ptr<Embedder> FeatureExtractor::embedder(EmbedOptions options) const {
    if (!embedder_) throw InputError("this detector has no network, so its windows have no embeddings");
    return make_embedder(network_, preprocessing_->inputs, options);
}

}  // namespace cmr::score
