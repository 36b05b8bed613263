#include "base/suggest.h"
#include "score/scorers/scorers.h"

namespace cmr::score {
namespace {

// name, what, needs, parts, voice, instead_of, explains, fit, load, bank_rows
constexpr ScorerKind kKinds[] = {
    {"native", "the score of the rival's publication", Needs::kRival, true, false, "", false, fit_native, load_native},
    {"knn", "distance of the pooled effect embedding to healthy ones", Needs::kNetwork, false, false, "", false,
     fit_knn, load_knn, bank_rows_of_knn},
    {"residual", "mean square of predicted minus observed effect embedding, coupled channels", Needs::kCmr, true, false,
     "", false, fit_residual, load_residual},
    {"residual-standard", "the same, each feature in units of its healthy mean", Needs::kCmr, true, false, "", false,
     fit_standard_residual, load_standard_residual},
    {"residual-manifold", "distance of the signed residual to healthy ones", Needs::kCmr, false, false, "", false,
     fit_residual_manifold, load_residual_manifold, bank_rows_of_residual_manifold},
    {"readout", "what pooled cause embeddings do not tell of pooled effect embeddings, linearly", Needs::kCmr, true,
     false, "", false, fit_readout, load_readout},
    {"mechanism", "the whole-window mechanism with what the network foretells beyond it", Needs::kCmr, true, true,
     "window", false, fit_mechanism, load_mechanism},
    {"marginal", "largest deviation of an effect's mean; knows nothing of causes", Needs::kNothing, true, true, "",
     false, fit_marginal, load_marginal},
    {"lagged", "linear mechanism on lagged causes", Needs::kNothing, true, true, "", true, fit_lagged, load_lagged},
    {"window", "linear mechanism from the whole window of causes", Needs::kNothing, true, true, "", false, fit_window,
     load_window},
    // Its parts would smear: what one sensor does is off the plane in all that went with it.
    {"pca", "distance from the plane of healthy windows (SPE); knows nothing of causes", Needs::kNothing, false, true,
     "", false, fit_pca, load_pca},
    // A bank that lacks a block is farther from it than the whole bank will be from later windows, so as a voice it
    // would raise the alarm line: on water plants to a third of the promised alarms.
    {"raw-knn", "distance to healthy windows as they are; knows nothing of causes", Needs::kNothing, false, false, "",
     false, fit_raw_knn, load_raw_knn, bank_rows_of_raw_knn},
    {"pca-t2", "distance from the middle of the healthy plane (T²)", Needs::kNothing, false, false, "", false,
     fit_pca_t2, load_pca_t2},
    {"dynamic", "linear mechanism on lagged causes and the effects' own past, residuals whitened", Needs::kNothing,
     true, false, "", false, fit_dynamic, load_dynamic},
    {"drift", "how far the mean of those residuals is from the healthy one (T²)", Needs::kNothing, true, true, "",
     false, fit_drift, load_drift},
    {"dpca", "distance from the plane of healthy lagged samples (SPE); knows nothing of causes", Needs::kNothing, false,
     false, "", false, fit_dynamic_pca, load_dynamic_pca},
    {"cva", "what the past holds that tells nothing of the effects' future (canonical variates, T²)", Needs::kNothing,
     false, true, "", false, fit_canonical, load_canonical},
    {"isolation-forest", "how soon random cuts isolate a window", Needs::kNothing, false, false, "", false,
     fit_isolation_forest, load_isolation_forest},
    {"random", "a number that means nothing", Needs::kNothing, false, false, "", false, fit_random, load_random},
};

}  // namespace

std::span<const ScorerKind> scorer_kinds() { return kKinds; }

bool is_joined(std::string_view name) { return name == "combined" || name == "slow" || name == "both"; }

const ScorerKind& scorer_named(const std::string& name) { return row_named(kKinds, "score", name); }

}  // namespace cmr::score
