#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

constexpr ScorerKind kKinds[] = {
    {"knn", "distance of the pooled effect embedding to healthy ones", true, false, fit_knn, load_knn},
    {"residual", "mean square of predicted minus observed effect embedding, coupled channels", true, true, fit_residual,
     load_residual},
    {"residual-standard", "the same, each feature in units of its healthy mean", true, true, fit_standard_residual,
     load_standard_residual},
    {"residual-manifold", "distance of the signed residual to healthy ones", true, false, fit_residual_manifold,
     load_residual_manifold},
    {"readout", "what pooled cause embeddings do not tell of pooled effect embeddings, linearly", true, true,
     fit_readout, load_readout},
    {"marginal", "largest deviation of an effect's mean; knows nothing of causes", false, true, fit_marginal,
     load_marginal},
    {"lagged", "linear mechanism on lagged causes", false, true, fit_lagged, load_lagged},
    {"window", "linear mechanism from the whole window of causes", false, true, fit_window, load_window},
    {"pca", "distance from the plane of healthy windows; knows nothing of causes", false, false, fit_pca, load_pca},
    {"raw-knn", "distance to healthy windows as they are; knows nothing of causes", false, false, fit_raw_knn,
     load_raw_knn},
};

}  // namespace

std::span<const ScorerKind> scorer_kinds() { return kKinds; }

const ScorerKind& scorer_named(const std::string& name) {
    std::vector<std::string> names;
    for (const ScorerKind& kind : kKinds) {
        if (kind.name == name) return kind;
        names.emplace_back(kind.name);
    }
    const auto known = nearest(name, names);
    throw InputError("score \"{}\": expected one of {}{}", name, fmt::join(names, ", "),
                     known ? "; did you mean " + *known + "?" : "");
}

}  // namespace cmr::score
