#include "score/scorers/scorer.h"

#include "model/methods/method.h"

namespace cmr::score {

Healthy Healthy::chosen(const std::vector<int64_t>& rows) const {
    Healthy out{dataset, recipe, preprocessing, coupled, {}, features.chosen(rows), gates};
    for (const int64_t row : rows) out.windows.push_back(windows[row]);
    if (features.has_samples()) return out;
    out.features.causes = preprocessing.cause_windows(dataset, out.windows, recipe.window.length);
    out.features.effects = preprocessing.effect_windows(dataset, out.windows, recipe.window.length);
    return out;
}

model::FeatureCounts Setting::features() const {
    return model::method_named(preprocessing.config.method).features(preprocessing.config);
}

bool ScorerKind::possible_with(const model::Model& network) const {
    if (needs == Needs::kNothing) return true;
    return !network.tensors.empty() && possible_with(model::method_named(network.config.method));
}

bool ScorerKind::possible_with(const model::Method& method) const {
    if (needs == Needs::kCmr) return method.knows_causes;
    return needs != Needs::kRival || method.native != model::Native::kNone;
}

}  // namespace cmr::score
